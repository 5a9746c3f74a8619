//! Tests of checkpoints: contents, damage and replacement.

use super::*;
use crate::grid::Parts;
use crate::levelset::evolution::{MapState, Totals};
use crate::levelset::tiled::Phi;
use crate::levelset::volume::{VolumeState, VolumeTotals};

fn checkpoint() -> Checkpoint {
    checkpoint_of(State::Mesh(snapshot()))
}

fn encoded(checkpoint: &Checkpoint) -> Vec<u8> {
    let mut out = Vec::new();
    fields::encode(checkpoint, &mut out).unwrap();
    assert_eq!(out.len() as u64, fields::length_of(checkpoint));
    out
}

fn snapshot() -> Snapshot {
    Snapshot {
        precision_bits: 32,
        time: 0.3,
        step: 17,
        displacement: f64::MIN_POSITIVE,
        steps_since: 4,
        gone: false,
        phi: (0..11).map(|k| (f64::from(k) - 5.5).recip()).collect(),
        in_band: (0..11).map(|k| k % 3 == 1).collect(),
        totals: Totals {
            cell_updates: 1 << 40,
            reinitializations: 7,
            map_restarts: 2,
            ..Totals::default()
        },
        volume: Some(VolumeState {
            labels: vec![u32::MAX, 0],
            was_inside: vec![true, false],
            references: vec![0.1],
            totals: VolumeTotals::default(),
        }),
        map: Some(MapState { start: vec![0.5, -0.25], map: vec![0.125; 12], home: vec![3, 0] }),
    }
}

fn tiles(phi: Phi) -> State {
    let tiles =
        Parts { keys: vec![3, 1 << 62], borders: vec![7, 0], ages: vec![255, 1], background: true };
    let snapshot =
        TiledSnapshot { edge: 4, tiles, phi, time: 0.25, steps: 8, seconds: Default::default() };
    State::Tiles(snapshot, Work { is_extinct: false, voxel_updates: 1 << 50, ..Work::default() })
}

fn checkpoint_of(state: State) -> Checkpoint {
    let measures = |step| Measures { step, time: 0.1, euler_number: -2, ..Measures::default() };
    Checkpoint {
        program: "zeroset 1 (x)".into(),
        identity: Identity {
            case_hash: "ab".repeat(32),
            settings: [("evolve.cfl", "1.0"), ("initial.data", "\"phi\"")]
                .map(|(key, value)| (key.to_string(), value.to_string()))
                .into(),
            n_vertices: 11,
            n_cells: 12,
            mesh: [1; 32],
            arrays: vec![("vertex array \"curv\"".into(), [2; 32])],
            initial: [3; 32],
            patches: [4; 32],
        },
        position: Position {
            next_output: 3,
            time: 0.1 + 0.2,
            steps: 17,
            dt: 1e-3,
            state_due: true,
            measures_due: false,
            ended_by: "steady state".into(),
        },
        written: Written {
            states: vec![(0, 0.0), (9, 0.2)],
            measures: Prefix { bytes: 99, hash: [5; 32] },
        },
        seconds: Seconds { evolve: 1.5, ..Seconds::default() },
        first: Some(measures(0)),
        last: None,
        state,
    }
}

/// Writes a checkpoint into a new folder.
fn written() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(CHECKPOINT);
    checkpoint().write(&path).unwrap();
    (folder, path)
}

#[test]
fn what_is_written_reads_back() {
    let (_folder, path) = written();
    assert_eq!(Checkpoint::read(&path).unwrap(), checkpoint());
    for phi in [
        Phi::Fixed16(vec![-32767, 0, 5]),
        Phi::F32(vec![0.1, -0.0, 3.0]),
        Phi::F64(vec![0.1, f64::MIN_POSITIVE]),
    ] {
        let kept = checkpoint_of(tiles(phi));
        assert_eq!(fields::decode("c".as_ref(), &encoded(&kept)).unwrap(), kept);
    }
}

/// Every `f64` keeps its bits, including the sign of zero and subnormal numbers.
#[test]
fn numbers_keep_their_bits() {
    let mut kept = snapshot();
    kept.phi = vec![-0.0, f64::MAX, 5e-324, f64::NEG_INFINITY];
    kept.in_band = vec![true; 16];
    let written = checkpoint_of(State::Mesh(kept.clone()));
    let back = fields::decode("c".as_ref(), &encoded(&written)).unwrap();
    let State::Mesh(back) = back.state else { panic!("{back:?}") };
    let bits = |s: &Snapshot| s.phi.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&back), bits(&kept));
    assert_eq!(back.in_band, kept.in_band);
}

#[test]
fn any_damage_is_an_error_that_says_what_to_do() {
    let (_folder, path) = written();
    let bytes = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8], case: String| {
        let error = container::unpack(bytes).expect_err(&case).in_file(&path);
        assert_eq!(error.exit_code(), 3, "{case}");
        let text = error.to_string();
        assert!(text.contains(CHECKPOINT) && text.contains("--overwrite"), "{case}: {text}");
        text
    };
    for end in 0..bytes.len() {
        refused(&bytes[..end], format!("cut at {end}"));
    }
    for at in 0..bytes.len() {
        for bit in [1, 0x80] {
            let mut damaged = bytes.clone();
            damaged[at] ^= bit;
            refused(&damaged, format!("byte {at}"));
        }
    }
    refused(&[&bytes[..], &[0]].concat(), "a byte more".into());
    let mut later = bytes.clone();
    later[8..12].copy_from_slice(&9_u32.to_le_bytes());
    let text = refused(&later, "version".into());
    assert!(text.contains("has format version 9, but this program reads 3"), "{text}");
    // The file does not exist.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(Checkpoint::read(&path).unwrap_err().exit_code(), 3);
}

/// Contents are decoded here without their checksum. A wrong length must cause neither a large
/// allocation nor a panic.
#[test]
fn contents_that_lie_are_errors() {
    let contents = encoded(&checkpoint());
    for end in 0..contents.len() {
        assert!(fields::decode("c".as_ref(), &contents[..end]).is_err(), "cut at {end}");
    }
    assert!(fields::decode("c".as_ref(), &[&contents[..], &[0]].concat()).is_err());
    for at in 0..contents.len() - 8 {
        let mut lying = contents.clone();
        lying[at..at + 8].fill(0xff);
        // Numbers other than lengths may have any value, so decoding may succeed.
        let _ = fields::decode("c".as_ref(), &lying);
        lying[at..at + 8].copy_from_slice(&(1_u64 << 40).to_le_bytes());
        let _ = fields::decode("c".as_ref(), &lying);
    }
    let mut kept = snapshot();
    kept.steps_since = u64::MAX;
    let counting = encoded(&checkpoint_of(State::Mesh(kept)));
    let error = fields::decode("c".as_ref(), &counting).unwrap_err().to_string();
    assert!(error.contains("which no run reaches"), "{error}");
    // The first field is a string.
    let mut lying = contents.clone();
    lying[..8].fill(0xff);
    let error = fields::decode("c".as_ref(), &lying).unwrap_err().to_string();
    assert!(error.contains("declared"), "{error}");
}

#[test]
fn a_length_that_lies_is_found_while_unpacking() {
    let (_folder, path) = written();
    let bytes = std::fs::read(&path).unwrap();
    for length in [0_u64, 1, 1 << 50, u64::MAX] {
        let mut lying = bytes[..bytes.len() - 32].to_vec();
        lying[12..20].copy_from_slice(&length.to_le_bytes());
        lying.extend(blake3::hash(&lying).as_bytes());
        let error = container::unpack(&lying).unwrap_err().to_string();
        assert!(error.contains("does not hold"), "{length}: {error}");
    }
}
