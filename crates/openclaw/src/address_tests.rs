use super::address::Address;

#[test]
fn addresses_are_read_with_their_usual_ports() {
    let read = |text| Address::parse(text).map(|at| (at.host, at.port, at.is_secure, at.is_here)).ok();
    let some = |host: &str, port, secure, here| Some((host.to_owned(), port, secure, here));
    for (text, expected) in [
        ("ws://127.0.0.1:18790", some("127.0.0.1", 18_790, false, true)),
        ("ws://localhost", some("localhost", 18_789, false, true)),
        ("ws://localhost:80/", some("localhost", 80, false, true)),
        ("http://[::1]:7/x?y#z", some("::1", 7, false, true)),
        ("ws://[::1]", some("::1", 18_789, false, true)),
        ("wss://gate.example", some("gate.example", 443, true, false)),
        ("https://gate.example:8443/ws", some("gate.example", 8443, true, false)),
        ("wss://127.0.0.1:9", some("127.0.0.1", 9, true, true)),
        // A token would be readable on the way.
        ("ws://gate.example:1", None),
        ("ws://10.0.0.7:18789", None),
        ("http://localhost.example", None),
        ("wss://user:secret@gate.example", None),
        ("ftp://127.0.0.1", None),
        ("127.0.0.1:18789", None),
        ("", None),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn a_refused_address_has_a_code_and_says_what_to_do() {
    let fault = Address::parse("ws://gate.example").unwrap_err();
    assert_eq!(fault.code(), "CONFIG_INVALID");
    assert!(fault.to_string().contains("use wss://"), "{fault}");
}
