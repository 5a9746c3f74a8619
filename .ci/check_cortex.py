"""Opens cortex files with nibabel: python3 check_cortex.py VERTICES FILE.shape.gii FILE.morph

Exit code 1 if a file does not open, does not hold VERTICES finite numbers, or if the two files
differ.
"""

import sys

import nibabel
import nibabel.freesurfer
import numpy


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    vertices, shape, morph = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    arrays = nibabel.load(shape).darrays
    if len(arrays) != 1:
        sys.exit(f"{shape}: {len(arrays)} arrays, expected 1")
    values = {shape: arrays[0].data, morph: nibabel.freesurfer.read_morph_data(morph)}
    for name, found in values.items():
        print(f"{name}: {found.dtype}{list(found.shape)} {found.min():.6g}..{found.max():.6g}")
        if found.shape != (vertices,):
            sys.exit(f"{name}: shape {found.shape}, expected ({vertices},)")
        if not numpy.isfinite(found).all():
            sys.exit(f"{name}: not finite everywhere")
    if not numpy.array_equal(values[shape], values[morph]):
        sys.exit(f"{shape} and {morph} differ")


main()
