// Transactions as others build them, with @solana/web3.js and @solana/spl-token.
import * as spl from "@solana/spl-token";
import * as web3 from "@solana/web3.js";
import { USDC, address, blockhash, keypair, random } from "./given.mjs";

const { ComputeBudgetProgram: Budget, SystemProgram: System } = web3;
export const key = (text) => new web3.PublicKey(text);
export const memoProgram = key("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");

function table(count) {
  const addresses = Array.from({ length: count }, () => key(address()));
  const state = { deactivationSlot: 18446744073709551615n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0, addresses };
  return new web3.AddressLookupTableAccount({ key: key(address()), state });
}

const budget = (limit, price) => [
  Budget.setComputeUnitLimit({ units: limit }),
  Budget.setComputeUnitPrice({ microLamports: price }),
];
export const send = (pair, lamports, to = address()) =>
  System.transfer({ fromPubkey: pair.publicKey, toPubkey: key(to), lamports });

/** Each gives instructions and, beside them, what they say. */
export const shapes = {
  transfer: (pair) => ({ instructions: [send(pair, 12345)], value: 12345 }),
  "with priority": (pair) => ({
    instructions: [...budget(77_777, 1_234_567), send(pair, 1)],
    value: 1,
    limit: 77_777,
    price: 1_234_567,
  }),
  "price behind limit, two transfers and a memo": (pair) => ({
    instructions: [
      Budget.setComputeUnitPrice({ microLamports: 1 }),
      Budget.setComputeUnitLimit({ units: 1_400_000 }),
      send(pair, 10),
      new web3.TransactionInstruction({ programId: memoProgram, keys: [], data: Buffer.from("both") }),
      send(pair, 20),
    ],
    value: 30,
    limit: 1_400_000,
    price: 1,
  }),
  "tokens with an account made": (pair) => {
    const owner = key(address());
    const [from, to] = [pair.publicKey, owner].map((owner) => spl.getAssociatedTokenAddressSync(key(USDC), owner));
    return {
      instructions: [
        ...budget(90_000, 20_000),
        spl.createAssociatedTokenAccountIdempotentInstruction(pair.publicKey, to, owner, key(USDC)),
        spl.createTransferCheckedInstruction(from, key(USDC), to, pair.publicKey, 5_000_000n, 6),
      ],
      value: 0,
      limit: 90_000,
      price: 20_000,
    };
  },
  "allowance without end, revoked": (pair) => {
    const account = spl.getAssociatedTokenAddressSync(key(USDC), pair.publicKey);
    return {
      instructions: [
        spl.createApproveInstruction(account, key(address()), pair.publicKey, 18446744073709551615n),
        spl.createRevokeInstruction(account, pair.publicKey),
      ],
      value: 0,
    };
  },
  "wrapped and unwrapped": (pair) => {
    const account = spl.getAssociatedTokenAddressSync(spl.NATIVE_MINT, pair.publicKey);
    return {
      instructions: [
        spl.createAssociatedTokenAccountInstruction(pair.publicKey, account, pair.publicKey, spl.NATIVE_MINT),
        send(pair, 4_000, account.toBase58()),
        spl.createSyncNativeInstruction(account),
        spl.createCloseAccountInstruction(account, pair.publicKey, pair.publicKey),
      ],
      value: 4_000,
    };
  },
  "durable nonce": (pair) => ({
    instructions: [
      System.nonceAdvance({ noncePubkey: key(address()), authorizedPubkey: pair.publicKey }),
      send(pair, 9),
    ],
    value: 9,
    nonce: true,
  }),
  "stake delegated": (pair) => ({
    instructions: web3.StakeProgram.delegate({
      stakePubkey: key(address()),
      authorizedPubkey: pair.publicKey,
      votePubkey: key(address()),
    }).instructions,
    value: 0,
  }),
  "an unknown program": (pair) => ({
    instructions: [
      new web3.TransactionInstruction({
        programId: key(address()),
        keys: [
          { pubkey: pair.publicKey, isSigner: true, isWritable: true },
          { pubkey: key(address()), isSigner: false, isWritable: false },
        ],
        data: random(200),
      }),
    ],
    value: 0,
  }),
};

export function compiled(shape, version, hash = blockhash()) {
  const pair = keypair();
  const made = shapes[shape](pair);
  const message = new web3.TransactionMessage({ payerKey: pair.publicKey, recentBlockhash: hash, instructions: made.instructions });
  const tables = version === "looked up" ? [table(5)] : [];
  if (tables.length > 0) {
    made.instructions.push(
      new web3.TransactionInstruction({
        programId: key(address()),
        keys: tables[0].state.addresses.map((pubkey, index) => ({ pubkey, isSigner: false, isWritable: index % 2 === 0 })),
        data: random(9),
      }),
    );
  }
  const legacy = version === "legacy";
  const tx = new web3.VersionedTransaction(legacy ? message.compileToLegacyMessage() : message.compileToV0Message(tables));
  return { pair, made, tx };
}

export const feeOf = (made, signatures) =>
  BigInt(5000 * signatures) + (BigInt(made.price ?? 0) * BigInt(made.limit ?? 0) + 999_999n) / 1_000_000n;
