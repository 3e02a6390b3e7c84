//! Hexadecimal digits.

use super::hex;

#[test]
fn bytes_are_written_as_two_lower_case_digits_each() {
    assert_eq!(hex::encode([]), "");
    assert_eq!(hex::encode([0x00, 0x0a, 0xff]), "000aff");
    assert_eq!(hex::encode_prefix([1, 2, 3], 2), "0102");
    assert_eq!(hex::encode_prefix([1], 8), "01");
}

#[test]
fn only_whole_bytes_of_the_right_number_are_read() {
    assert_eq!(hex::decode("000AfF"), Some([0x00, 0x0a, 0xff]));
    for text in ["", "0", "00", "000aff0", "+00aff", "00 aff", "00äff"] {
        assert_eq!(hex::decode::<3>(text), None, "{text:?}");
    }
}
