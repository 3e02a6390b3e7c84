//! Sessions on a disk.

mod crash;
mod desk;
mod targets;
mod together;
mod whole;
