//! NVRTC, NVIDIA's compiler of kernels at run time, loaded when it is first needed.
//!
//! The build needs no CUDA; a machine without the library learns where it was looked for.

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

/// Options of every compilation beside the architecture, the defines of a unit and those of its
/// arithmetic.
///
/// `-lineinfo` lets compute-sanitizer and profilers name lines; `--ptxas-options=-v` puts registers,
/// shared memory and spills into the log.
pub const OPTIONS: [&str; 3] = ["--std=c++17", "-lineinfo", "--ptxas-options=-v"];

/// A multiplication and an addition are rounded each on its own, as the CPU does, so that results of
/// both can be compared bit by bit. Division and square root are rounded correctly and small numbers
/// kept by NVRTC's defaults (no `--use_fast_math`).
const AS_THE_CPU: [&str; 1] = ["--fmad=false"];

/// Products and sums are fused, division and root are right to two units in the last place.
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

/// What the compiler made of a unit.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Machine code for one architecture.
    pub cubin: Vec<u8>,
    /// Warnings, and what every kernel takes ([`super::resources`]).
    pub log: String,
}

/// The loaded library.
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
    // The functions above live as long as these.
    _library: Library,
    _builtins: Vec<Library>,
}

impl Nvrtc {
    /// The library of this process, opened by the first call (about 0.1 s).
    ///
    /// # Errors
    /// [`Reason::NoCompiler`] with what was tried.
    pub fn get() -> std::result::Result<&'static Nvrtc, Reason> {
        static OPENED: OnceLock<std::result::Result<Nvrtc, Reason>> = OnceLock::new();
        OPENED.get_or_init(Nvrtc::open).as_ref().map_err(Reason::clone)
    }

    /// Opens the first library that works: one of the files of [`locate`], else what the system's
    /// loader finds.
    ///
    /// # Errors
    /// [`Reason::NoCompiler`] with what was tried.
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

    /// Opens this library file.
    fn load(path: &Path) -> std::result::Result<Nvrtc, String> {
        // The loader's own words are the source of its error.
        let words = |error: libloading::Error| match error.source() {
            Some(source) => source.to_string(),
            None => error.to_string(),
        };
        Nvrtc::bind(path).map_err(words)
    }

    fn bind(path: &Path) -> std::result::Result<Nvrtc, libloading::Error> {
        // The wheels' library does not know its own folder, so what it loads must be there already.
        // SAFETY: NVIDIA's libraries run no code of consequence when loaded.
        let builtins = builtins_beside(path);
        let _builtins = builtins.iter().filter_map(|b| unsafe { Library::new(b) }.ok()).collect();
        // SAFETY: as above; the types of the functions are those of nvrtc.h, unchanged since CUDA 11.
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

    /// The library file; only a name if the system's loader found it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Major and minor number: those of the CUDA toolkit it belongs to.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Compiles a unit for an architecture such as "sm_90".
    ///
    /// # Errors
    /// [`Error::Device`] with the compiler's messages.
    pub fn compile(&self, unit: &Unit, arch: &str) -> Result<Compiled> {
        let (cubin, log) = self.build(unit, arch, self.cubin)?;
        Ok(Compiled { cubin, log })
    }

    /// The same as text of the virtual architecture, for tests that look at instructions.
    ///
    /// # Errors
    /// [`Error::Device`] with the compiler's messages.
    pub fn compile_to_ptx(&self, unit: &Unit, arch: &str) -> Result<String> {
        let (ptx, _) = self.build(unit, arch, self.ptx)?;
        Ok(text(ptx))
    }

    /// Compiles and hands out what `form` gives, and the log.
    fn build(&self, unit: &Unit, arch: &str, form: (SizeOf, Fill)) -> Result<(Vec<u8>, String)> {
        let options = options(unit, arch).into_iter().map(|o| c_string(&o)).collect::<Result<_>>();
        let options: Vec<CString> = options?;
        let pointers: Vec<_> = options.iter().map(|o| o.as_ptr()).collect();
        let program = self.program(unit)?;
        // SAFETY: the program is alive, and the pointers lead to strings that outlive the call.
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
            let remedy = "a newer NVRTC may know the GPU (`zeroset devices` says which is used); \
                          else this is a fault of the program";
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
        // SAFETY: all pointers lead to strings that outlive the call, which copies them.
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
                format!("{call} of {} fails: {}", self.path.display(), self.message(status)),
                "try another NVRTC (ZEROSET_NVRTC)",
            )),
        }
    }

    fn message(&self, status: Status) -> String {
        // SAFETY: returns a string constant for every number.
        let text = unsafe { (self.error_string)(status) };
        match text.is_null() {
            true => format!("error {status}"),
            // SAFETY: not null, and a constant of the library.
            false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
        }
    }
}

/// A program of the library, destroyed once.
struct Handle<'a> {
    nvrtc: &'a Nvrtc,
    handle: Program,
}

impl Handle<'_> {
    fn read(&self, (size, fill): (SizeOf, Fill)) -> Result<Vec<u8>> {
        let mut n = 0;
        // SAFETY: the program is alive.
        self.nvrtc.check(unsafe { size(self.handle, &mut n) }, "the size of a result")?;
        let mut bytes = vec![0_u8; n];
        // SAFETY: the buffer has the size that the library asks for.
        let status = unsafe { fill(self.handle, bytes.as_mut_ptr().cast()) };
        self.nvrtc.check(status, "reading a result")?;
        Ok(bytes)
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: created by this library and not destroyed yet.
            unsafe { (self.nvrtc.destroy)(&mut self.handle) };
        }
    }
}

/// All options of a compilation; the order in which a unit lists its defines does not matter.
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

/// Text of the library without the zero byte at its end.
fn text(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text)
        .map_err(|e| Error::device(format!("a kernel source has a zero byte: {e}"), ""))
}
