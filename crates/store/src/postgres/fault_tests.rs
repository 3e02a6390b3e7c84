//! What it means that the pool gives out no connection.

use deadpool_postgres::{PoolError, TimeoutType};

use super::fault::no_connection;
use crate::Error;

#[test]
fn a_pool_without_connections_is_told_apart_from_a_closed_one() {
    let busy =
        Error::Unavailable { place: "here".to_owned(), message: "all its connections are busy".to_owned() };
    assert_eq!(no_connection(&PoolError::Timeout(TimeoutType::Wait), "here"), busy);
    assert_eq!(no_connection(&PoolError::Timeout(TimeoutType::Create), "here").code(), "STORE_UNAVAILABLE");
    assert_eq!(no_connection(&PoolError::Closed, "here"), Error::Closed);
}
