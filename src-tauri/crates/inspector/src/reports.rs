//! No report of this process to anybody: the vendor of the model's runtime is told nothing.

/// Keeps ONNX Runtime from reporting to its vendor. Since 1.32 its packages for Linux, too, note every start
/// with the program's name, the system and an id of the device below the user's cache folder, and send the
/// notes when there is a network; the switch in its interface comes after the first of them. This
/// variable is read while it is loaded. To be called first thing, by every program; what it starts
/// takes it over.
#[allow(
    unsafe_code,
    reason = "the runtime can be told in no other way before it notes anything"
)]
pub fn forbid_reports() {
    // SAFETY: The environment must not change while another thread reads it. First thing in a program
    // there is no other thread.
    unsafe { std::env::set_var("ORT_DISABLE_TELEMETRY", "1") };
}
