//! Sessions on a disk.

mod crash;
mod desk;
mod documents;
mod targets;
mod together;
mod whole;
