//! Compiles a kernel source for the host, loads it and launches its kernels thread by thread.

use std::any::Any;
use std::ffi::{CStr, OsString, c_char, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use tempfile::TempDir;

/// The launch configuration of a kernel. Its counterpart is `Launch` in shim/fibers.hpp.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Number of blocks.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// The number of blocks that run at a time: 1 to run them one after another, `grid` for
    /// cooperative kernels.
    pub resident: u32,
    /// Seed of the order in which threads run.
    pub seed: u64,
}

impl Launch {
    /// Returns a launch that runs the blocks one after another, without dynamic shared memory.
    pub fn new(grid: u32, block: u32) -> Launch {
        Launch { grid, block, shared_bytes: 0, resident: 1, seed: 0 }
    }
}

/// A kernel argument, with the type of the parameter.
pub struct Arg(Box<dyn Any>);

/// Wraps an argument that is passed by value: a number, a `#[repr(C)]` struct or a pointer.
pub fn arg<T: Copy + 'static>(value: T) -> Arg {
    Arg(Box::new(value))
}

type Entry =
    unsafe extern "C" fn(*const Launch, *const *const c_void, *const usize, usize) -> *const c_char;

/// The kernels of one source, compiled with one set of macro definitions.
pub struct Library {
    /// Only one launch runs at a time, because kernels share static memory and the scheduler.
    loaded: Mutex<libloading::Library>,
    _folder: TempDir,
}

impl Library {
    /// Compiles a source with macro definitions (such as `"REAL=double"`) and makes the given
    /// kernels callable.
    ///
    /// `source` is relative to the root of the repository. Panics with the compiler's output if
    /// compilation fails.
    pub fn compile(source: &str, defines: &[&str], kernels: &[&str]) -> Library {
        Self::with_header(source, defines, kernels, None)
    }

    /// Compiles a source as [`Library::compile`] does, together with a header (name and text) that
    /// it includes.
    pub fn with_header(
        source: &str,
        defines: &[&str],
        kernels: &[&str],
        header: Option<(&str, &str)>,
    ) -> Library {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let main = folder.path().join("main.cpp");
        std::fs::write(&main, program(&root.join(source), kernels))
            .expect("the source can be written");
        if let Some((name, text)) = header {
            std::fs::write(folder.path().join(name), text).expect("the header can be written");
        }
        let out = folder.path().join("kernels.so");
        compile(root, defines, &main, &out);
        // SAFETY: the initializers of the library compiled above impose no requirements.
        let loaded = unsafe { libloading::Library::new(&out) };
        let loaded = Mutex::new(loaded.unwrap_or_else(|e| panic!("{source}: {e}")));
        Library { loaded, _folder: folder }
    }

    /// Runs all threads of a kernel.
    ///
    /// # Errors
    ///
    /// Returns a message if the kernel is faulty: threads wait for each other at different places,
    /// wait forever, or write out of bounds.
    ///
    /// # Safety
    ///
    /// Pointers among the arguments must be valid for what the kernel reads and writes.
    pub unsafe fn launch(&self, kernel: &str, launch: &Launch, args: &[Arg]) -> Result<(), String> {
        let loaded = self.loaded.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let addresses: Vec<*const c_void> = args.iter().map(|a| (&raw const *a.0).cast()).collect();
        let sizes: Vec<usize> = args.iter().map(|a| size_of_val(&*a.0)).collect();
        // SAFETY: `program` wrote the function with this type. It checks the number and sizes of
        // the arguments, and the caller guarantees the rest. The message is copied under the lock.
        unsafe {
            let entry = loaded.get::<Entry>(format!("launch_{kernel}").as_bytes());
            let entry = entry.unwrap_or_else(|_| panic!("{kernel} is not among the kernels"));
            let message = entry(launch, addresses.as_ptr(), sizes.as_ptr(), args.len());
            if message.is_null() {
                Ok(())
            } else {
                Err(CStr::from_ptr(message).to_string_lossy().into_owned())
            }
        }
    }
}

/// Returns the source, preceded by the shim and followed by one entry point per kernel.
///
/// The kernels are in a namespace. This keeps their functions out of sections that the linker
/// merges, because shared memory cannot be placed in such sections.
fn program(source: &Path, kernels: &[&str]) -> String {
    let mut program = format!(
        "#include \"shim/cuda.hpp\"\nnamespace {{\n#include \"{}\"\n}}\n",
        source.display()
    );
    for kernel in kernels {
        program.push_str(&format!(
            "extern \"C\" const char *launch_{kernel}(const shim::Launch *how, void *const *args, \
             const size_t *sizes, size_t n) {{ return shim::launch({kernel}, *how, args, sizes, n); \
             }}\n"
        ));
    }
    program
}

fn compile(root: &Path, defines: &[&str], main: &Path, out: &Path) {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| OsString::from("c++"));
    // Fused multiply-adds would give different results than Rust. A fortified longjmp would not
    // allow switching stacks.
    let result = Command::new(&compiler)
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-U_FORTIFY_SOURCE"])
        .args(["-shared", "-fPIC"])
        .args(main.parent().map(|folder| format!("-I{}", folder.display())))
        .arg(format!("-I{}", root.join("kernels").display()))
        .arg(format!("-I{}", root.join("tests/kernels").display()))
        .args(defines.iter().map(|d| format!("-D{d}")))
        .arg("-o")
        .arg(out)
        .arg(main)
        .output();
    let result = result.unwrap_or_else(|e| {
        panic!(
            "{}: {e}. These tests need a C++ compiler: install one (Debian, Ubuntu: \
             apt-get install g++), or name it in CXX",
            compiler.display()
        )
    });
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
}
