// One transfer on each of three chains for both sides: as a keysign payload for ours, as the corresponding signing
// input for the peer.

import { TW } from "@trustwallet/wallet-core/dist/generated/core_proto";
import type { WalletCore } from "@trustwallet/wallet-core/dist/src/wallet-core";
import Long from "long";
import protobuf from "protobufjs";
import proto from "../../../proto/keysign.proto";
import { Transactions } from "../../generated/all-chains/all-chains.js";
import { hex } from "./statistics";

export interface Question {
  what: string;
  ours: () => string[];
  peer: () => string[];
}

const Payload = protobuf.parse(proto, { keepCase: true }).root.lookupType("vultisig.keysign.v1.KeysignPayload");
const SECRET = new Uint8Array(32).fill(5);

function encode(fields: object): Uint8Array {
  return Payload.encode(Payload.fromObject(fields)).finish();
}

function hashes(payload: Uint8Array): string[] {
  const transactions = Transactions.of_payload(payload);
  const lines = transactions.hashes().trimEnd().split("\n");
  transactions.free();
  return lines.sort();
}

function account(core: WalletCore, coin: ReturnType<typeof coinType>) {
  const key = core.PrivateKey.createWithData(SECRET).getPublicKey(coin);
  const short = key.isCompressed() ? key : key.compressed();
  return { hexKey: hex(short.data()), address: core.AnyAddress.createWithPublicKey(key, coin).description() };
}

function coinType(core: WalletCore, name: "ethereum" | "bitcoin" | "solana") {
  return core.CoinType[name];
}

/** A number as the peer reads it: big-endian, no leading zero. */
function bigEndian(value: bigint): Uint8Array {
  const digits = value.toString(16);
  const even = digits.length % 2 ? `0${digits}` : digits;
  return Uint8Array.from(even.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export function ethereum(core: WalletCore): Question {
  const coin = coinType(core, "ethereum");
  const { hexKey, address } = account(core, coin);
  const to = "0x17c5185167401eD00cF5F5b2fc97D9BBfDb7D025";
  const payload = encode({
    coin: { chain: "Ethereum", ticker: "ETH", address, decimals: 18, is_native_token: true, hex_public_key: hexKey },
    to_address: to,
    to_amount: "1000000000000000",
    ethereum_specific: { max_fee_per_gas_wei: "2000000000", priority_fee: "1000000000", nonce: 3, gas_limit: "21000" },
  });
  const input = TW.Ethereum.Proto.SigningInput.encode({
    chainId: bigEndian(1n),
    nonce: bigEndian(3n),
    txMode: TW.Ethereum.Proto.TransactionMode.Enveloped,
    gasLimit: bigEndian(21000n),
    maxFeePerGas: bigEndian(2000000000n),
    maxInclusionFeePerGas: bigEndian(1000000000n),
    toAddress: to,
    transaction: { transfer: { amount: bigEndian(1000000000000000n) } },
  }).finish();
  const peer = () => {
    const output = core.TransactionCompiler.preImageHashes(coin, input);
    return [hex(TW.TxCompiler.Proto.PreSigningOutput.decode(output).dataHash)];
  };
  return { what: "Ethereum", ours: () => hashes(payload), peer };
}

const INPUTS = Array.from({ length: 20 }, (_, index) => ({ hash: hex(new Uint8Array(32).fill(index + 1)), index }));
const SATOSHIS = 100_000;

export function bitcoin(core: WalletCore): Question {
  const coin = coinType(core, "bitcoin");
  const { hexKey, address } = account(core, coin);
  const amount = SATOSHIS * 19;
  const to = "bc1qxpeg8k8xrygj9ae8q6pkzj29sf7w8e7krm4v5f";
  const payload = encode({
    coin: { chain: "Bitcoin", ticker: "BTC", address, decimals: 8, is_native_token: true, hex_public_key: hexKey },
    to_address: to,
    to_amount: String(amount),
    utxo_specific: { byte_fee: "5" },
    utxo_info: INPUTS.map(({ hash, index }) => ({ hash, amount: SATOSHIS, index })),
  });
  const script = core.BitcoinScript.lockScriptForAddress(address, coin).data();
  const input = TW.Bitcoin.Proto.SigningInput.encode({
    hashType: core.BitcoinSigHashType.all.value,
    amount: Long.fromNumber(amount),
    byteFee: Long.fromNumber(5),
    toAddress: to,
    changeAddress: address,
    coinType: coin.value,
    fixedDustThreshold: Long.fromNumber(546),
    scripts: {},
    utxo: INPUTS.map(({ hash, index }) => ({
      outPoint: { hash: Uint8Array.from(hash.match(/../g) ?? [], (pair) => parseInt(pair, 16)).reverse(), index, sequence: 0xffffffff },
      amount: Long.fromNumber(SATOSHIS),
      script,
    })),
  }).finish();
  const peer = () => {
    const output = TW.Bitcoin.Proto.PreSigningOutput.decode(core.TransactionCompiler.preImageHashes(coin, input));
    return output.hashPublicKeys.map((each) => hex(each.dataHash ?? new Uint8Array())).sort();
  };
  return { what: "Bitcoin, 20 inputs", ours: () => hashes(payload), peer };
}

export function solana(core: WalletCore): Question {
  const coin = coinType(core, "solana");
  const { hexKey, address } = account(core, coin);
  const [to, blockhash] = ["46ZJUzqDR1dxvX7hFWogsAzyAseAwtb1XNGhtCCNCHW5", "DM2WikUuoE72BhyhkvETpcsE1i9DNaj6ovA8e4sCz3g2"];
  const payload = encode({
    coin: { chain: "Solana", ticker: "SOL", address, decimals: 9, is_native_token: true, hex_public_key: hexKey },
    to_address: to,
    to_amount: "1000000",
    solana_specific: { recent_block_hash: blockhash, priority_fee: "1000000", compute_limit: "100000" },
  });
  const input = TW.Solana.Proto.SigningInput.encode({
    sender: address,
    recentBlockhash: blockhash,
    v0Msg: true,
    priorityFeePrice: { price: Long.fromNumber(1000000) },
    priorityFeeLimit: { limit: 100000 },
    transferTransaction: { recipient: to, value: Long.fromNumber(1000000) },
  }).finish();
  const peer = () => {
    const output = TW.Solana.Proto.PreSigningOutput.decode(core.TransactionCompiler.preImageHashes(coin, input));
    return [hex(output.data)];
  };
  return { what: "Solana", ours: () => hashes(payload), peer };
}
