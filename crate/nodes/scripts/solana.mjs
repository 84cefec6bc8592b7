// LiteSVM: Solana's own virtual machine and programs in this process. It checks signatures, blockhashes, balances and
// what has been processed already; it has no slots that pass by themselves and no votes. The JSON-RPC is ours: `rpc.mjs`.
import { getTransactionDecoder, lamports } from "@solana/kit";
import * as spl from "@solana/spl-token";
import * as web3 from "@solana/web3.js";
import { FailedTransactionMetadata, LiteSVM } from "litesvm";
import { listen } from "./http.mjs";
import { serve } from "./lines.mjs";
import { Node } from "./solana/rpc.mjs";

const svm = new LiteSVM();
svm.warpToSlot(100n);
const node = new Node(svm);
const url = await listen((request) => node.answer(request));
const key = (text) => new web3.PublicKey(text);
const base64 = (bytes) => Buffer.from(bytes).toString("base64");

function put(address, programAddress, data) {
  const space = BigInt(data.length);
  const rent = svm.minimumBalanceForRentExemption(space);
  svm.setAccount({ address, programAddress, data, executable: false, lamports: lamports(rent), space });
}

/** The name of a failure. The addon gives a number for most, and the name only in its description. */
const nameOf = (failed) => /err: (\w+)/.exec(String(failed))[1];

const wallet = (mint, owner, program) => spl.getAssociatedTokenAddressSync(key(mint), key(owner), true, key(program));

const nowhere = web3.PublicKey.default;
const commands = {
  url: () => ({ url }),
  automine: ({ on }) => ((node.automine = on), {}),
  mine: () => (node.mine(), {}),
  transactions: () => ({ transactions: node.transactions }),
  airdrop: ({ address, amount }) => ({ done: svm.airdrop(address, lamports(BigInt(amount))) !== null }),
  blockhash: () => ({ blockhash: svm.latestBlockhash() }),
  expire: () => (svm.expireBlockhash(), {}),
  balance: ({ address }) => ({ lamports: String(svm.getBalance(address) ?? 0n) }),

  /** A mint, and a token account with `amount` for `owner`. */
  mint: ({ mint, owner, amount, decimals, program }) => {
    const data = Buffer.alloc(spl.MINT_SIZE);
    const none = { mintAuthorityOption: 0, mintAuthority: nowhere, freezeAuthorityOption: 0, freezeAuthority: nowhere };
    spl.MintLayout.encode({ ...none, supply: BigInt(amount), decimals, isInitialized: true }, data);
    put(mint, program, data);
    const account = Buffer.alloc(spl.ACCOUNT_SIZE);
    const rest = { delegateOption: 0, delegate: nowhere, isNativeOption: 0, isNative: 0n, delegatedAmount: 0n };
    const closing = { closeAuthorityOption: 0, closeAuthority: nowhere };
    spl.AccountLayout.encode({ mint: key(mint), owner: key(owner), amount: BigInt(amount), state: 1, ...rest, ...closing }, account);
    const address = wallet(mint, owner, program).toBase58();
    put(address, program, account);
    return { address };
  },
  wallet: ({ mint, owner, program }) => ({ address: wallet(mint, owner, program).toBase58() }),
  tokens: ({ account }) => {
    const found = svm.getAccount(account);
    if (!found.exists) return { amount: null };
    const { amount, owner, mint } = spl.AccountLayout.decode(found.data);
    return { amount: String(amount), owner: owner.toBase58(), mint: mint.toBase58(), program: found.programAddress };
  },

  /** Lamports for an account that only a lookup table names. */
  looked_up: ({ from, to, amount, blockhash }) => {
    const table = web3.Keypair.generate().publicKey;
    const header = Buffer.alloc(56);
    header.writeUInt32LE(1, 0);
    header.writeBigUInt64LE(0xffffffffffffffffn, 4);
    put(table.toBase58(), "AddressLookupTab1e1111111111111111111111111", Buffer.concat([header, key(to).toBuffer()]));
    const state = { deactivationSlot: 0xffffffffffffffffn, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0, addresses: [key(to)] };
    const instruction = web3.SystemProgram.transfer({ fromPubkey: key(from), toPubkey: key(to), lamports: amount });
    const message = new web3.TransactionMessage({ payerKey: key(from), recentBlockhash: blockhash, instructions: [instruction] });
    const compiled = message.compileToV0Message([new web3.AddressLookupTableAccount({ key: table, state })]);
    return { transaction: base64(new web3.VersionedTransaction(compiled).serialize()), table: table.toBase58() };
  },
  legacy: ({ from, to, amount, blockhash }) => {
    const instruction = web3.SystemProgram.transfer({ fromPubkey: key(from), toPubkey: key(to), lamports: amount });
    const message = new web3.TransactionMessage({ payerKey: key(from), recentBlockhash: blockhash, instructions: [instruction] });
    return { transaction: base64(new web3.VersionedTransaction(message.compileToLegacyMessage()).serialize()) };
  },
  /** A new account that has already signed. */
  cosigned: ({ from, amount, blockhash }) => {
    const created = web3.Keypair.generate();
    const instruction = web3.SystemProgram.createAccount({
      fromPubkey: key(from),
      newAccountPubkey: created.publicKey,
      lamports: amount,
      space: 8,
      programId: web3.SystemProgram.programId,
    });
    const message = new web3.TransactionMessage({ payerKey: key(from), recentBlockhash: blockhash, instructions: [instruction] });
    const transaction = new web3.VersionedTransaction(message.compileToV0Message());
    transaction.sign([created]);
    return { transaction: base64(transaction.serialize()), account: created.publicKey.toBase58() };
  },

  send: ({ transaction }) => {
    const result = svm.sendTransaction(getTransactionDecoder().decode(Buffer.from(transaction, "base64")));
    const failed = result instanceof FailedTransactionMetadata;
    const meta = failed ? result.meta() : result;
    return { accepted: !failed, failure: failed ? nameOf(result) : null, logs: meta.logs() };
  },
};

await serve(({ command, ...options }) => commands[command](options));
