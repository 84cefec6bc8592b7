// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IERC20 {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

struct SendParam {
    uint32 dstEid;
    bytes32 to;
    uint256 amountLD;
    uint256 minAmountLD;
    bytes extraOptions;
    bytes composeMsg;
    bytes oftCmd;
}

struct MessagingFee {
    uint256 nativeFee;
    uint256 lzTokenFee;
}

/// The near end of a bridge with the `send` of LayerZero's OFT: takes tokens and emits where they go. There is no far
/// end: a test mints the tokens on the other chain.
contract Bridge {
    IERC20 public immutable token;
    uint256 public immutable fee;
    uint64 public nonce;

    event OFTSent(
        bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD
    );

    error NotEnoughNative(uint256 msgValue);
    error SlippageExceeded(uint256 amountLD, uint256 minAmountLD);

    constructor(IERC20 token_, uint256 fee_) {
        token = token_;
        fee = fee_;
    }

    function send(SendParam calldata param, MessagingFee calldata paid, address) external payable returns (bytes32 guid) {
        if (msg.value != paid.nativeFee || msg.value < fee) revert NotEnoughNative(msg.value);
        if (param.amountLD < param.minAmountLD) revert SlippageExceeded(param.amountLD, param.minAmountLD);
        require(token.transferFrom(msg.sender, address(this), param.amountLD));
        guid = keccak256(abi.encode(++nonce, msg.sender, param.dstEid, param.to));
        emit OFTSent(guid, param.dstEid, msg.sender, param.amountLD, param.amountLD);
    }
}
