//! Bindings to NVRTC, NVIDIA's run-time compiler, which is loaded at its first use.
//!
//! The build does not need CUDA. If the library is missing at run time, the error lists the
//! locations that were searched.

mod search;

use std::error::Error as _;
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use libloading::Library;

use super::sources::Unit;
use crate::Reason;
pub use search::locate;
use search::{builtins_beside, candidates, loader_names};
use zeroset_core::error::{DeviceFault, Error, Result};

/// The options of every compilation. Options for the architecture, for the defines of the unit and
/// for its arithmetic are added to these.
///
/// `-lineinfo` lets compute-sanitizer and profilers name source lines. `--ptxas-options=-v` writes
/// registers, shared memory and spills to the log.
pub const OPTIONS: [&str; 3] = ["--std=c++17", "-lineinfo", "--ptxas-options=-v"];

/// The option for arithmetic as on the CPU: multiplications and additions are rounded separately,
/// so that the results are bitwise comparable. By default, NVRTC rounds division and square root
/// correctly and keeps subnormal numbers (no `--use_fast_math`).
const AS_THE_CPU: [&str; 1] = ["--fmad=false"];

/// The options for fast arithmetic: products and sums are fused, and single-precision division and
/// square root are accurate to two units in the last place. `QUICK` selects the fast functions of
/// `kernels/common/division.cuh`.
const FUSED: [&str; 4] = ["--fmad=true", "--prec-div=false", "--prec-sqrt=false", "-DQUICK=1"];

type Program = *mut std::ffi::c_void;
type Status = c_int;
type SizeOf = unsafe extern "C" fn(Program, *mut usize) -> Status;
type Fill = unsafe extern "C" fn(Program, *mut c_char) -> Status;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type CompileIt = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status;
type Destroy = unsafe extern "C" fn(*mut Program) -> Status;
type ErrorString = unsafe extern "C" fn(Status) -> *const c_char;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;

/// The result of compiling a unit.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The machine code for one architecture.
    pub cubin: Vec<u8>,
    /// The compiler's log: warnings, and the resources of every kernel ([`super::resources`]).
    pub log: String,
}

/// The loaded NVRTC library and its functions.
pub struct Nvrtc {
    path: PathBuf,
    version: (u32, u32),
    create: Create,
    compile: CompileIt,
    destroy: Destroy,
    error_string: ErrorString,
    log: (SizeOf, Fill),
    cubin: (SizeOf, Fill),
    ptx: (SizeOf, Fill),
    // The functions above are valid only as long as these libraries are loaded.
    _library: Library,
    _builtins: Vec<Library>,
}

impl Nvrtc {
    /// Returns the library of this process, which the first call opens (about 0.1 s).
    ///
    /// # Errors
    /// Returns [`Reason::NoCompiler`] with the locations that were tried.
    pub fn get() -> std::result::Result<&'static Nvrtc, Reason> {
        static OPENED: OnceLock<std::result::Result<Nvrtc, Reason>> = OnceLock::new();
        OPENED.get_or_init(Nvrtc::open).as_ref().map_err(Reason::clone)
    }

    /// Opens the first library that works. The candidate files come first ([`locate`] returns the
    /// first one that exists), then the names that the system loader searches for.
    ///
    /// # Errors
    /// Returns [`Reason::NoCompiler`] with the locations that were tried.
    pub fn open() -> std::result::Result<Nvrtc, Reason> {
        let mut tried = Vec::new();
        for path in candidates() {
            match Nvrtc::load(&path) {
                Ok(nvrtc) => return Ok(nvrtc),
                Err(why) => tried.push(format!("{}: {why}", path.display())),
            }
        }
        for name in loader_names() {
            match Nvrtc::load(Path::new(name)) {
                Ok(nvrtc) => return Ok(nvrtc),
                Err(why) => {
                    tracing::debug!("{name}: {why}");
                    tried.push(name.to_string());
                }
            }
        }
        Err(Reason::NoCompiler(tried.join(", ")))
    }

    /// Opens a library file.
    fn load(path: &Path) -> std::result::Result<Nvrtc, String> {
        // The message of the system loader is in the source of the error.
        let words = |error: libloading::Error| match error.source() {
            Some(source) => source.to_string(),
            None => error.to_string(),
        };
        Nvrtc::bind(path).map_err(words)
    }

    fn bind(path: &Path) -> std::result::Result<Nvrtc, libloading::Error> {
        // The library from the Python wheels does not search its own folder, so the libraries that
        // it needs must be loaded first.
        // SAFETY: the initialization code of NVIDIA's libraries has no relevant side effects.
        let builtins = builtins_beside(path);
        let _builtins = builtins.iter().filter_map(|b| unsafe { Library::new(b) }.ok()).collect();
        // SAFETY: the initialization code of the library has no relevant side effects. The function
        // types match nvrtc.h and have not changed since CUDA 11.
        unsafe {
            let library = Library::new(path)?;
            let get_version = *library.get::<Version>(b"nvrtcVersion")?;
            let (mut major, mut minor) = (0, 0);
            get_version(&mut major, &mut minor);
            Ok(Nvrtc {
                path: path.to_path_buf(),
                version: (major.unsigned_abs(), minor.unsigned_abs()),
                create: *library.get(b"nvrtcCreateProgram")?,
                compile: *library.get(b"nvrtcCompileProgram")?,
                destroy: *library.get(b"nvrtcDestroyProgram")?,
                error_string: *library.get(b"nvrtcGetErrorString")?,
                log: (
                    *library.get(b"nvrtcGetProgramLogSize")?,
                    *library.get(b"nvrtcGetProgramLog")?,
                ),
                cubin: (*library.get(b"nvrtcGetCUBINSize")?, *library.get(b"nvrtcGetCUBIN")?),
                ptx: (*library.get(b"nvrtcGetPTXSize")?, *library.get(b"nvrtcGetPTX")?),
                _library: library,
                _builtins,
            })
        }
    }

    /// Returns the path of the library file, or only its name if the system loader found it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the major and minor version, which equal those of the CUDA toolkit that contains the
    /// library.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Compiles a unit for an architecture such as "sm_90".
    ///
    /// # Errors
    /// Returns [`Error::Device`] with the compiler's messages.
    pub fn compile(&self, unit: &Unit, arch: &str) -> Result<Compiled> {
        let (cubin, log) = self.build(unit, arch, self.cubin)?;
        Ok(Compiled { cubin, log })
    }

    /// Compiles a unit to PTX, for tests that examine instructions.
    ///
    /// # Errors
    /// Returns [`Error::Device`] with the compiler's messages.
    pub fn compile_to_ptx(&self, unit: &Unit, arch: &str) -> Result<String> {
        let (ptx, _) = self.build(unit, arch, self.ptx)?;
        Ok(text(ptx))
    }

    /// Compiles a unit and returns the output selected by `form`, and the log.
    fn build(&self, unit: &Unit, arch: &str, form: (SizeOf, Fill)) -> Result<(Vec<u8>, String)> {
        let options = options(unit, arch).into_iter().map(|o| c_string(&o)).collect::<Result<_>>();
        let options: Vec<CString> = options?;
        let pointers: Vec<_> = options.iter().map(|o| o.as_ptr()).collect();
        let program = self.program(unit)?;
        // SAFETY: the program exists, and the pointers refer to strings that outlive the call.
        let status =
            unsafe { (self.compile)(program.handle, pointers.len() as c_int, pointers.as_ptr()) };
        let log = program.read(self.log).map(text)?;
        if status != 0 {
            let what = format!(
                "NVRTC {}.{} cannot compile {} for {arch}: {}\n{log}",
                self.version.0,
                self.version.1,
                unit.title(),
                self.message(status)
            );
            let remedy = "install a newer NVRTC, which may support this GPU (`zeroset devices` lists \
                          the one in use); if that does not help, please report this error";
            return Err(Error::device_fault(DeviceFault::Compiler, what.trim_end(), remedy));
        }
        Ok((program.read(form)?, log))
    }

    fn program(&self, unit: &Unit) -> Result<Handle<'_>> {
        let (source, name) = (c_string(&unit.source)?, c_string(&format!("{}.cu", unit.name))?);
        let mut headers = Vec::new();
        for (name, text) in zeroset_kernels::headers() {
            headers.push((c_string(name)?, c_string(text)?));
        }
        for (name, text) in &unit.extra {
            headers.push((c_string(name)?, c_string(text)?));
        }
        let names: Vec<_> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
        let texts: Vec<_> = headers.iter().map(|(_, text)| text.as_ptr()).collect();
        let mut program = Handle { nvrtc: self, handle: null_mut() };
        // SAFETY: all pointers refer to strings that outlive the call, which copies them.
        let status = unsafe {
            (self.create)(
                &mut program.handle,
                source.as_ptr(),
                name.as_ptr(),
                names.len() as c_int,
                if texts.is_empty() { null() } else { texts.as_ptr() },
                if names.is_empty() { null() } else { names.as_ptr() },
            )
        };
        self.check(status, "nvrtcCreateProgram")?;
        Ok(program)
    }

    fn check(&self, status: Status, call: &str) -> Result<()> {
        match status {
            0 => Ok(()),
            _ => Err(Error::device_fault(
                DeviceFault::Compiler,
                format!("{call} of {} failed: {}", self.path.display(), self.message(status)),
                "use another NVRTC library (ZEROSET_NVRTC)",
            )),
        }
    }

    fn message(&self, status: Status) -> String {
        // SAFETY: the function returns a string constant for every number.
        let text = unsafe { (self.error_string)(status) };
        match text.is_null() {
            true => format!("error {status}"),
            // SAFETY: the pointer is not null and refers to a constant of the library.
            false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
        }
    }
}

/// An NVRTC program, destroyed when dropped.
struct Handle<'a> {
    nvrtc: &'a Nvrtc,
    handle: Program,
}

impl Handle<'_> {
    fn read(&self, (size, fill): (SizeOf, Fill)) -> Result<Vec<u8>> {
        let mut n = 0;
        // SAFETY: the program exists.
        self.nvrtc.check(unsafe { size(self.handle, &mut n) }, "the size of a result")?;
        let mut bytes = vec![0_u8; n];
        // SAFETY: the buffer has the size that the library requested.
        let status = unsafe { fill(self.handle, bytes.as_mut_ptr().cast()) };
        self.nvrtc.check(status, "reading a result")?;
        Ok(bytes)
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the program was created by this library and has not been destroyed.
            unsafe { (self.nvrtc.destroy)(&mut self.handle) };
        }
    }
}

/// Returns all options of a compilation. The order of the defines of a unit does not matter.
pub(super) fn options(unit: &Unit, arch: &str) -> Vec<String> {
    let mut options = vec![format!("--gpu-architecture={arch}")];
    options.extend(OPTIONS.map(str::to_string));
    let arithmetic = if unit.is_fused() { &FUSED[..] } else { &AS_THE_CPU };
    options.extend(arithmetic.iter().map(|option| option.to_string()));
    let define = |(name, value): &(&str, String)| format!("--define-macro={name}={value}");
    let mut defines: Vec<String> = unit.defines.iter().map(define).collect();
    defines.sort();
    options.extend(defines);
    options
}

/// Converts text from the library, without its terminating zero byte.
fn text(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text)
        .map_err(|e| Error::device(format!("a kernel source contains a zero byte: {e}"), ""))
}
