/* Computes distances on a surface and moves a curve on it. Then extracts the surface of a ball of
   voxels, and reconstructs it from its points.
   Usage: distances MESH */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "zeroset.h"

static void check(ZerosetStatus status) {
    if (status != ZEROSET_STATUS_OK) {
        fprintf(stderr, "error: %s\n", zeroset_error());
        exit(status);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: distances MESH\n");
        return 2;
    }
    ZerosetMesh *mesh = NULL;
    check(zeroset_mesh_read(argv[1], &mesh));
    size_t n = zeroset_mesh_n_vertices(mesh);
    double *distances = malloc(n * sizeof *distances), *speed = malloc(n * sizeof *speed);
    uint32_t source = 0;
    check(zeroset_distance(mesh, &source, 1, distances));
    double farthest = 0;
    for (size_t v = 0; v < n; v++) {
        farthest = fmax(farthest, distances[v]);
    }
    printf("the farthest of %zu vertices is %.2f away\n", n, farthest);

    /* The curve at the distance 30 grows for a time of 5 with the speed 1. */
    for (size_t v = 0; v < n; v++) {
        distances[v] -= 30;
        speed[v] = 1;
    }
    ZerosetTerms terms = {.velocity = NULL, .normal_speed = speed, .curvature = NULL};
    check(zeroset_evolve(mesh, distances, &terms, 5));
    size_t inside = 0;
    for (size_t v = 0; v < n; v++) {
        inside += distances[v] < 0;
    }
    printf("%zu vertices are inside\n", inside);
    zeroset_mesh_free(mesh);
    free(distances);
    free(speed);

    enum { SIZE = 41 };
    static uint8_t ball[SIZE * SIZE * SIZE];
    static float signs[SIZE * SIZE * SIZE];
    for (int k = 0; k < SIZE * SIZE * SIZE; k++) {
        int x = k % SIZE - 20, y = k / SIZE % SIZE - 20, z = k / SIZE / SIZE - 20;
        ball[k] = x * x + y * y + z * z < 225;
    }
    ZerosetGrid grid = {.shape = {SIZE, SIZE, SIZE}, .spacing = {1, 1, 1}, .origin = {0, 0, 0}};
    check(zeroset_edt(&grid, ball, true, signs));
    ZerosetSurface *surface = NULL;
    check(zeroset_isosurface(&grid, signs, 0, &surface));
    printf("the surface of the ball has %zu triangles\n", zeroset_surface_n_triangles(surface));

    size_t n_points = zeroset_surface_n_vertices(surface);
    ZerosetSurface *again = NULL;
    check(zeroset_reconstruct(zeroset_surface_vertices(surface), NULL, n_points, &again));
    size_t n_triangles = zeroset_surface_n_triangles(again);
    printf("a surface from its %zu points has %zu triangles\n", n_points, n_triangles);
    zeroset_surface_free(again);
    zeroset_surface_free(surface);
    return 0;
}
