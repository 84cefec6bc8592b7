// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Reverts every call; reverting can be switched off and on.
contract Reverter {
    bool public quiet;

    function set(bool quiet_) external {
        quiet = quiet_;
    }

    receive() external payable {
        refuse();
    }

    fallback() external payable {
        refuse();
    }

    function refuse() private view {
        require(quiet, "Reverter: no");
    }
}
