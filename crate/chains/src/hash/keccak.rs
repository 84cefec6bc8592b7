//! Keccak-256 with the padding of 2011, as Ethereum has it (FIPS 202 later changed one byte of the padding).
//!
//! Written out lane by lane. The field's crate loops over lanes; built small for wasm, that is six times slower than
//! this and than what other wallets ship.

/// Bytes that a permutation takes in: 1600 bits less twice the digest.
const RATE: usize = 136;

/// What tells one round from another (iota).
const ROUNDS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// Keccak-256.
pub fn keccak256(bytes: &[u8]) -> [u8; 32] {
    let mut state = [0; 25];
    let (blocks, rest) = bytes.as_chunks::<RATE>();
    for block in blocks {
        absorb(&mut state, block);
    }
    absorb(&mut state, &padded(rest));
    let mut digest = [0; 32];
    for (out, lane) in digest.as_chunks_mut::<8>().0.iter_mut().zip(state) {
        *out = lane.to_le_bytes();
    }
    digest
}

fn padded(rest: &[u8]) -> [u8; RATE] {
    let mut block = [0; RATE];
    let bytes = rest.iter().chain(&[1]);
    block.iter_mut().zip(bytes).for_each(|(out, byte)| *out = *byte);
    if let Some(last) = block.last_mut() {
        *last |= 0x80;
    }
    block
}

fn absorb(state: &mut [u64; 25], block: &[u8; RATE]) {
    for (lane, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
        *lane ^= u64::from_le_bytes(*bytes);
    }
    for constant in ROUNDS {
        *state = round(state, constant);
    }
}

/// Theta mixes columns, rho turns and pi moves lanes, chi mixes rows.
#[inline]
#[rustfmt::skip]
fn round(state: &[u64; 25], constant: u64) -> [u64; 25] {
    let [
        a00, a01, a02, a03, a04,
        a05, a06, a07, a08, a09,
        a10, a11, a12, a13, a14,
        a15, a16, a17, a18, a19,
        a20, a21, a22, a23, a24,
    ] = *state;
    let c0 = a00 ^ a05 ^ a10 ^ a15 ^ a20;
    let c1 = a01 ^ a06 ^ a11 ^ a16 ^ a21;
    let c2 = a02 ^ a07 ^ a12 ^ a17 ^ a22;
    let c3 = a03 ^ a08 ^ a13 ^ a18 ^ a23;
    let c4 = a04 ^ a09 ^ a14 ^ a19 ^ a24;
    let d0 = c4 ^ c1.rotate_left(1);
    let d1 = c0 ^ c2.rotate_left(1);
    let d2 = c1 ^ c3.rotate_left(1);
    let d3 = c2 ^ c4.rotate_left(1);
    let d4 = c3 ^ c0.rotate_left(1);

    let b00 = a00 ^ d0;
    let b10 = (a01 ^ d1).rotate_left(1);
    let b20 = (a02 ^ d2).rotate_left(62);
    let b05 = (a03 ^ d3).rotate_left(28);
    let b15 = (a04 ^ d4).rotate_left(27);
    let b16 = (a05 ^ d0).rotate_left(36);
    let b01 = (a06 ^ d1).rotate_left(44);
    let b11 = (a07 ^ d2).rotate_left(6);
    let b21 = (a08 ^ d3).rotate_left(55);
    let b06 = (a09 ^ d4).rotate_left(20);
    let b07 = (a10 ^ d0).rotate_left(3);
    let b17 = (a11 ^ d1).rotate_left(10);
    let b02 = (a12 ^ d2).rotate_left(43);
    let b12 = (a13 ^ d3).rotate_left(25);
    let b22 = (a14 ^ d4).rotate_left(39);
    let b23 = (a15 ^ d0).rotate_left(41);
    let b08 = (a16 ^ d1).rotate_left(45);
    let b18 = (a17 ^ d2).rotate_left(15);
    let b03 = (a18 ^ d3).rotate_left(21);
    let b13 = (a19 ^ d4).rotate_left(8);
    let b14 = (a20 ^ d0).rotate_left(18);
    let b24 = (a21 ^ d1).rotate_left(2);
    let b09 = (a22 ^ d2).rotate_left(61);
    let b19 = (a23 ^ d3).rotate_left(56);
    let b04 = (a24 ^ d4).rotate_left(14);

    [
        b00 ^ (!b01 & b02) ^ constant, b01 ^ (!b02 & b03), b02 ^ (!b03 & b04), b03 ^ (!b04 & b00), b04 ^ (!b00 & b01),
        b05 ^ (!b06 & b07), b06 ^ (!b07 & b08), b07 ^ (!b08 & b09), b08 ^ (!b09 & b05), b09 ^ (!b05 & b06),
        b10 ^ (!b11 & b12), b11 ^ (!b12 & b13), b12 ^ (!b13 & b14), b13 ^ (!b14 & b10), b14 ^ (!b10 & b11),
        b15 ^ (!b16 & b17), b16 ^ (!b17 & b18), b17 ^ (!b18 & b19), b18 ^ (!b19 & b15), b19 ^ (!b15 & b16),
        b20 ^ (!b21 & b22), b21 ^ (!b22 & b23), b22 ^ (!b23 & b24), b23 ^ (!b24 & b20), b24 ^ (!b20 & b21),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha3::{Digest as _, Keccak256};

    #[test]
    fn agrees_with_the_crate_of_the_field_at_every_length() {
        let bytes: Vec<u8> = (0..1_000_u32).map(|index| index.wrapping_mul(167).to_le_bytes()[1]).collect();
        for length in 0..bytes.len() {
            let expected: [u8; 32] = Keccak256::digest(&bytes[..length]).into();
            assert_eq!(keccak256(&bytes[..length]), expected, "{length} bytes");
        }
    }
}
