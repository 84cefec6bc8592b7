// What all calls are made of: constants, and how ethers encodes.
import { AbiCoder, Interface, zeroPadValue } from "ethers";

export const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
export const ZERO = "0x0000000000000000000000000000000000000000";
export const WETH = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
export const MAX = 2n ** 256n - 1n;
export const WORD = `0x${"5a".repeat(32)}`;
export const DEADLINE = 1_900_000_000n;

export const details = "tuple(address token, uint160 amount, uint48 expiration, uint48 nonce)";
export const inner = (signature, values) => new Interface([signature]).encodeFunctionData(signature.match(/function (\w+)/)[1], values);
export const step = (types, values) => AbiCoder.defaultAbiCoder().encode(types, values);
export const word = (address) => zeroPadValue(address, 32);

// The types alone, as contracts hash them.
export const types = (signature) => new Interface([signature]).fragments[0].format("sighash");
