// Components of coefficients that are sampled from volumes.
#pragma once
#include "common/real.cuh"
#include "generated/tile_components.cuh"

// Returns the value of a component at a world position.
DEVICE real component_at(const TileComponent& component, const double (&x)[3]) {
    return component.volume.numbers ? (real)(sampled(component.volume, x) * component.scale) : (real)component.number;
}
