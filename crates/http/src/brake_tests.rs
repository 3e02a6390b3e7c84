//! Wrong tokens from one address and from many.

use std::net::{IpAddr, Ipv4Addr};

use super::brake::Brake;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

#[test]
fn a_guesser_waits_and_others_do_not() {
    let brake = Brake::default();
    let refused = (0..500).filter(|_| brake.refuses(THERE, false, 1_000).is_some()).count();
    assert_eq!(refused, 480);
    assert_eq!(brake.refuses(THERE, true, 1_000), Some(3), "a right guess is not told from a wrong one");
    assert_eq!(brake.refuses(HERE, true, 1_000), None);
    assert_eq!(brake.refuses(THERE, true, 1_000 + 3_000), None, "after a while the right token is let in");
}

#[test]
fn who_has_shown_the_token_is_let_in_while_others_guess_from_the_same_address() {
    let brake = Brake::default();
    assert_eq!(brake.refuses(HERE, true, 0), None);
    for _ in 0..100 {
        brake.refuses(HERE, false, 0);
    }
    assert!(brake.refuses(HERE, false, 0).is_some());
    assert_eq!(brake.refuses(HERE, true, 0), None);
}

#[test]
fn addresses_are_forgotten_before_they_take_up_memory() {
    let brake = Brake::default();
    for number in 0..20_000_u32 {
        brake.refuses(IpAddr::V4(Ipv4Addr::from_bits(number)), false, u64::from(number));
    }
    assert!(format!("{brake:?}").matches("wrong").count() <= 4096);
}
