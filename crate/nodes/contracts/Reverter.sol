// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Refuses whatever it is asked; it can be told to stop that, and to begin again.
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
