// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface IERC20 {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// Swaps at a fixed rate from its own balance, with the interface of Uniswap's V2 router.
contract Router {
    uint256 public immutable numerator;
    uint256 public immutable denominator;

    event Swap(address indexed sender, uint256 amountIn, uint256 amountOut, address indexed to);

    constructor(uint256 numerator_, uint256 denominator_) {
        numerator = numerator_;
        denominator = denominator_;
    }

    function swapExactTokensForTokens(
        uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to, uint256 deadline
    ) external returns (uint256[] memory amounts) {
        require(block.timestamp <= deadline, "Router: EXPIRED");
        require(path.length == 2, "Router: INVALID_PATH");
        amounts = new uint256[](2);
        amounts[0] = amountIn;
        amounts[1] = amountIn * numerator / denominator;
        require(amounts[1] >= amountOutMin, "Router: INSUFFICIENT_OUTPUT_AMOUNT");
        require(IERC20(path[0]).transferFrom(msg.sender, address(this), amountIn));
        require(IERC20(path[1]).transfer(to, amounts[1]));
        emit Swap(msg.sender, amounts[0], amounts[1], to);
    }
}
