// Anvil: a whole node of one process per chain id, with a mempool and receipts; it makes a block when it is told to. It
// has Ethereum's rules under every id: what rollups charge for data and what BSC's validators ask for is not checked by
// anybody here.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { serve } from "../../crate/nodes/scripts/lines.mjs";

// Node and compiler are those of the suites.
const nodes = new URL("../../crate/nodes/package.json", import.meta.url);
const solc = createRequire(nodes)("solc");
const ANVIL = fileURLToPath(new URL("node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil", nodes));

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Token {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor() { balanceOf[msg.sender] = 1_000_000; }

    function transfer(address to, uint256 amount) external returns (bool) { return move(msg.sender, to, amount); }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

// One coin for every token, and the door to a vault that THORChain has.
contract Router {
    string public lastMemo;

    constructor() payable {}

    function swapExactTokensForETH(
        uint256 amount, uint256 least, address[] calldata path, address payable to, uint256 deadline
    ) external {
        require(amount >= least && block.timestamp <= deadline);
        Token(path[0]).transferFrom(msg.sender, address(this), amount);
        to.transfer(amount);
    }

    function depositWithExpiry(
        address vault, address asset, uint256 amount, string calldata memo, uint256 expiration
    ) external {
        require(block.timestamp < expiration, "expired");
        Token(asset).transferFrom(msg.sender, vault, amount);
        lastMemo = memo;
    }
}`;

const running = new Map();

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

// The shell ends the node when this process is gone, however it went: its input is closed then.
async function start(chainId) {
  const port = await freePort();
  const here = ["--host", "127.0.0.1", "--port", String(port)];
  const options = [...here, "--chain-id", String(chainId), "--hardfork", "prague", "--no-mining", "--silent"];
  const watch = '"$0" "$@" </dev/null & node=$!; cat >/dev/null; kill $node';
  spawn("sh", ["-c", watch, ANVIL, ...options], { stdio: ["pipe", "ignore", "inherit"] });
  running.set(chainId, `http://127.0.0.1:${port}`);
  for (let tries = 0; tries < 200; tries++) {
    try {
      return await rpc(chainId, "eth_chainId");
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error("anvil does not answer");
}

async function post(chainId, body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(running.get(chainId), { method: "POST", headers, body });
  return { status: response.status, body: await response.text() };
}

async function rpc(chainId, method, ...params) {
  const answer = JSON.parse((await post(chainId, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).body);
  if (answer.error) throw new Error(answer.error.message);
  return answer.result;
}

let contracts;

// A contract of the source above, deployed by one of the node's own accounts.
async function deploy(chainId, name, value = "0x0") {
  contracts ??= compile();
  const [from] = await rpc(chainId, "eth_accounts");
  const hash = await rpc(chainId, "eth_sendTransaction", { from, value, data: `0x${contracts[name].evm.bytecode.object}` });
  await rpc(chainId, "evm_mine");
  return { from, address: (await rpc(chainId, "eth_getTransactionReceipt", hash)).contractAddress };
}

function compile() {
  const settings = { outputSelection: { "*": { "*": ["evm.bytecode.object"] } }, evmVersion: "prague" };
  const input = { language: "Solidity", sources: { "peer.sol": { content: SOURCE } }, settings };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((error) => error.severity === "error");
  if (errors.length) throw new Error(errors[0].formattedMessage);
  return output.contracts["peer.sol"];
}

const commands = {
  start: ({ chain }) => start(chain).then(() => ({})),
  post: ({ chain, body }) => post(chain, body),
  rpc: async ({ chain, method, params }) => ({ result: await rpc(chain, method, ...params) }),
  deploy: ({ chain, name, value }) => deploy(chain, name, value),
};

await serve((question) => commands[question.command](question));
