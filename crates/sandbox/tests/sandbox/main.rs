//! Programs that try to get out, and the judge of whether they did: what is outside is looked at, and nobody is believed.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::expect_used, reason = "the helpers of the tests say what is missing")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk, and attack it, behind engross's back"
)]

mod attempts;
mod confinement;
mod ends;
mod escapes;
mod fixture;
mod quotas;
