//! Arbitrary transactions.

use super::command::{Argument, Command, MoveCall, Package};
use super::data::{
    Address, Expiration, Gas, Input, ObjectRef, Proposers, TransactionData, Validity, WithdrawFrom,
    Withdrawal,
};
use super::type_tag::{StructTag, TypeTag};
use proptest::prelude::*;

fn any_address() -> impl Strategy<Value = Address> {
    any::<[u8; 32]>()
}

fn any_object() -> impl Strategy<Value = ObjectRef> {
    (any_address(), any::<u64>(), any::<[u8; 32]>()).prop_map(|(id, version, digest)| ObjectRef {
        id,
        version,
        digest,
    })
}

fn any_type() -> impl Strategy<Value = TypeTag> {
    let plain = proptest::sample::select(vec![0u8, 1, 2, 3, 4, 5, 8, 9, 10]).prop_map(TypeTag::Plain);
    plain.prop_recursive(4, 12, 3, |inner| {
        let tag = (
            any_address(),
            "[a-z_][a-z0-9_]{0,9}",
            "[A-Z][A-Z0-9]{0,9}",
            prop::collection::vec(inner.clone(), 0..3),
        );
        prop_oneof![
            inner.prop_map(|inner| TypeTag::Vector(Box::new(inner))),
            tag.prop_map(|(package, module, name, parameters)| {
                TypeTag::Struct(Box::new(StructTag { package, module, name, parameters }))
            }),
        ]
    })
}

fn any_input() -> impl Strategy<Value = Input> {
    let from = prop_oneof![
        Just(WithdrawFrom::Sender),
        Just(WithdrawFrom::Sponsor),
        (any_address(), any_address())
            .prop_map(|(funder, allowance)| WithdrawFrom::Allowance { funder, allowance }),
    ];
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Input::Pure),
        any::<u64>().prop_map(|value| Input::Pure(value.to_le_bytes().to_vec())),
        any_object().prop_map(Input::Owned),
        any_object().prop_map(Input::Receiving),
        (any_address(), any::<u64>(), any::<bool>())
            .prop_map(|(id, initial_version, mutable)| Input::Shared { id, initial_version, mutable }),
        (any::<u64>(), any_type(), from).prop_map(|(maximum, kind, from)| Input::Withdrawal(Box::new(
            Withdrawal { maximum, kind, from }
        ))),
    ]
}

/// Arguments that refer to the five inputs or to command 0, which every generated command follows.
fn any_argument() -> impl Strategy<Value = Argument> {
    prop_oneof![
        Just(Argument::GasCoin),
        (0u16..5).prop_map(Argument::Input),
        Just(Argument::Result(0)),
        (0u16..4).prop_map(|index| Argument::Nested(0, index)),
    ]
}

fn any_command() -> impl Strategy<Value = Command> {
    let arguments = || prop::collection::vec(any_argument(), 0..4);
    let package = || {
        let modules = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..3);
        (modules, prop::collection::vec(any_address(), 0..3))
            .prop_map(|(modules, dependencies)| Package { modules, dependencies })
    };
    let names = (any_address(), "[a-z_][a-z0-9_]{0,9}", "[a-z_][a-z0-9_]{0,9}");
    prop_oneof![
        (names, prop::collection::vec(any_type(), 0..3), arguments()).prop_map(
            |((package, module, function), types, arguments)| {
                Command::MoveCall(Box::new(MoveCall { package, module, function, types, arguments }))
            }
        ),
        (arguments(), any_argument())
            .prop_map(|(objects, address)| Command::TransferObjects { objects, address }),
        (any_argument(), arguments()).prop_map(|(coin, amounts)| Command::SplitCoins { coin, amounts }),
        (any_argument(), arguments())
            .prop_map(|(destination, sources)| Command::MergeCoins { destination, sources }),
        package().prop_map(Command::Publish),
        (prop::option::of(any_type()), arguments())
            .prop_map(|(kind, elements)| Command::MakeMoveVec { kind, elements }),
        (package(), any_address(), any_argument()).prop_map(|(code, package, ticket)| Command::Upgrade {
            code,
            package,
            ticket
        }),
    ]
}

fn any_expiration() -> impl Strategy<Value = Expiration> {
    let validity = || {
        (any::<[Option<u64>; 4]>(), any::<[u8; 32]>(), any::<u32>())
            .prop_map(|(bounds, chain, nonce)| Validity { bounds, chain, nonce })
    };
    let proposers = (any::<u64>(), prop::collection::vec(any::<u32>(), 1..4))
        .prop_map(|(epoch, indices)| Proposers { epoch, indices });
    prop_oneof![
        Just(Expiration::None),
        any::<u64>().prop_map(Expiration::Epoch),
        validity().prop_map(Expiration::ValidDuring),
        (validity(), prop::option::of(proposers))
            .prop_map(|(validity, proposers)| Expiration::Validity(validity, proposers)),
    ]
}

/// A transaction of `sender`.
pub(super) fn any_data(sender: Address) -> impl Strategy<Value = TransactionData> {
    let inputs = prop::collection::vec(any_input(), 5);
    let commands = prop::collection::vec(any_command(), 0..5);
    let payment = prop::collection::vec(any_object(), 0..4);
    (inputs, commands, payment, any::<u64>(), any_expiration()).prop_map(
        move |(inputs, mut commands, payment, budget, expiration)| {
            let amounts = vec![Argument::Input(0), Argument::Input(1)];
            commands.insert(0, Command::SplitCoins { coin: Argument::GasCoin, amounts });
            let gas = Gas { payment, owner: sender, price: 1, budget };
            TransactionData { inputs, commands, sender, gas, expiration }
        },
    )
}
