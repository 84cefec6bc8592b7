// TON's own virtual machine (@ton/sandbox) with the real wallet code and a jetton: accepts or refuses external
// messages as a validator would. There is no network around it: no masterchain, no delay. The API of toncenter is ours: `center.mjs`.
import { Address, beginCell, Cell, loadMessage, SendMode } from "@ton/core";
import { Blockchain } from "@ton/sandbox";
import assets from "@ton-community/assets-sdk";
import { listen } from "./http.mjs";
import { serve } from "./lines.mjs";
import { Center } from "./ton/center.mjs";

const { JettonMinter, JettonWallet } = assets;
const chain = await Blockchain.create();
// In the past: an account's time never goes back, and a test may set the clock to today.
chain.now = 1_700_000_000;
const treasury = await chain.treasury("treasury");
const content = beginCell().endCell();
const minter = chain.openContract(JettonMinter.createFromConfig({ admin: treasury.address, content }));
await minter.sendDeploy(treasury.getSender(), 1_000_000_000n);
chain.now = 1_800_000_000;
const center = new Center(chain);
const url = await listen((request) => center.answer(request));

const told = ({ transactions }) => transactions.map(({ description, inMessage }) => ({
  exit: description.computePhase?.exitCode,
  aborted: description.aborted,
  skipped: description.actionPhase?.skippedActions,
  result: description.actionPhase?.resultCode,
  to: inMessage.info.dest?.toString({ bounceable: false }),
  value: inMessage.info.value?.coins,
  body: inMessage.body.toBoc().toString("base64"),
}));

const commands = {
  url: () => ({ url }),
  automine: ({ on }) => ((center.automine = on), {}),
  mine: () => center.mine().then(() => ({})),
  transactions: () => ({ transactions: center.transactions }),
  // The time by which messages expire.
  now: ({ seconds }) => ((chain.now = seconds), {}),
  // Mints coins.
  async fund({ to, value }) {
    await treasury.send({ to: Address.parse(to), value: BigInt(value), bounce: false, sendMode: SendMode.PAY_GAS_SEPARATELY });
    return {};
  },
  // Mints jettons; returns the account's jetton wallet.
  async mint({ to, amount }) {
    await minter.sendMint(treasury.getSender(), Address.parse(to), BigInt(amount), { value: 1_000_000_000n });
    return { wallet: (await minter.getWalletAddress(Address.parse(to))).toString() };
  },
  // An external message, exactly as a node receives it.
  async send({ boc }) {
    const root = Cell.fromBase64(boc);
    return { hash: root.hash().toString("hex"), transactions: told(await chain.sendMessage(loadMessage(root.beginParse()))) };
  },
  async look({ at }) {
    const contract = await chain.getContract(Address.parse(at));
    const active = contract.accountState?.type === "active";
    const seqno = active ? (await chain.runGetMethod(Address.parse(at), "seqno")).stackReader.readNumber() : null;
    return { balance: contract.balance, active, seqno };
  },
  async jettons({ of }) {
    const wallet = chain.openContract(new JettonWallet(await minter.getWalletAddress(Address.parse(of))));
    return { balance: (await wallet.getData()).balance };
  },
};

await serve(({ command, ...question }) => commands[command](question));
