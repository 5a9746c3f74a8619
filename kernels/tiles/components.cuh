// Components of coefficients that are values of volumes.
#pragma once
#include "common/real.cuh"
#include "generated/tile_components.cuh"

// A component at a place in the world.
DEVICE real component_at(const TileComponent& component, const double (&x)[3]) {
    return component.volume.numbers ? (real)(sampled(component.volume, x) * component.scale) : (real)component.number;
}
