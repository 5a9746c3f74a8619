# What developers run daily. CONTRIBUTING.md explains each task; each is a plain command, too.

# Checks the format and the lints.
check:
    cargo fmt --all --check
    cargo clippy --locked --workspace --all-targets -- -D warnings

# Runs all tests, or those that the arguments choose.
test *arguments:
    cargo test --release --workspace {{arguments}}

# Writes the reference of the case file, the list of messages and the headers of the kernels anew.
bless:
    ZEROSET_BLESS=1 cargo test --release --workspace --lib cuda_header
    ZEROSET_BLESS=1 cargo test --release --test docs --test messages

# Runs one bench; what follows its name goes to it.
bench name *arguments:
    cargo bench --bench {{name}} -- {{arguments}}

# Runs tests of the GPU with the CPU in its place.
gpu-emulated *tests='short':
    scripts/emulated-gpu.sh cargo test --release --test cuda -- {{tests}}
