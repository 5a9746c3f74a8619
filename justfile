# Daily tasks of developers. CONTRIBUTING.md explains them. Each is a plain command.

# Checks the format, the lints and the wording.
check:
    cargo fmt --all --check
    cargo clippy --locked --workspace --all-targets -- -D warnings
    python3 .ci/check_prose.py

# Runs all tests, or those that the arguments select.
test *arguments:
    cargo test --release --workspace {{arguments}}

# Regenerates the case-file reference, the list of messages and the kernel headers.
bless:
    ZEROSET_BLESS=1 cargo test --release --workspace --lib cuda_header
    ZEROSET_BLESS=1 cargo test --release --test docs --test messages

# Runs one bench and passes it the remaining arguments.
bench name *arguments:
    cargo bench --bench {{name}} -- {{arguments}}

# Runs GPU tests with kernels executed on the CPU.
gpu-emulated *tests='short':
    scripts/emulated-gpu.sh cargo test --release --test cuda -- {{tests}}

# Builds the documentation site in target/site, with strict links (pip install mkdocs-material==9.8.2).
site:
    mkdocs build --strict
