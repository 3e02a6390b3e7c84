//! Sessions on a disk.

mod crash;
mod desk;
mod documents;
mod kept;
mod reviewed;
mod targets;
mod texts;
mod together;
mod whole;
