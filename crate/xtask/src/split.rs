//! Splits the core's module in two: what a start needs, and a *later part* that the shell loads before its first use.
//!
//! Both have one memory, one function table and the same globals; the core exports them, the later part imports them. They
//! call each other by slots at the end of the table. Each function that the core enters the later part by (an *entry*) stays
//! in the core as a stub, which calls its slot. The slots of entries are empty until the later part is instantiated and
//! writes its functions into them, so that a call before that traps. The core's functions that the later part calls have
//! slots too, and stubs in the later part: as exports they would be made into objects of JavaScript at each start.
//!
//! ```text
//! core                                             table        later part
//! vtable ──▶ stub of an entry ──call_indirect──▶   entry n  ──▶ the entry's code ──▶ more later code
//!            a function of the core           ◀──  callee m ◀── its stub ◀──────────────┘
//! ```
//!
//! Which functions move is not listed: all that cannot be reached without an entry. What the core needs too stays there.

use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use walrus::ir::{Value, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ConstOp, ElementItems, ElementKind, ExportItem, Function, FunctionBuilder, FunctionId,
    FunctionKind, GlobalKind, ImportKind, Module, ModuleConfig, TableId, passes,
};

/// The name of all that the later part imports.
const NAMESPACE: &str = "core";

/// What `runtime::later` wraps: how the names of the functions that poll and drop it begin and end. `runtime::later` drops
/// nothing before the later part is loaded.
const WRAPPERS: &[(&str, &str)] = &[
    ("<countersign_runtime::later::Later<", " as core::future::future::Future>::poll"),
    ("core::ptr::drop_in_place<countersign_runtime::later::Later<", ">"),
];

/// How the names of other entries begin and end. Only functions that are in the table can be entries, and no code that runs
/// before the later part is loaded may make what calls them.
const ENTRIES: &[(&str, &str)] = &[
    // The futures of a stored tool. Only later code makes such a tool.
    ("<countersign_runtime::tools::run::", " as countersign_runtime::tool::Tool>::validate::{{closure}}"),
    ("<countersign_runtime::tools::run::", " as countersign_runtime::tool::Tool>::prepare::{{closure}}"),
    ("<countersign_runtime::tools::run::", " as countersign_runtime::tool::Tool>::execute::{{closure}}"),
    // The same of a tool of an MCP server.
    ("<countersign_runtime::mcp::call::", " as countersign_runtime::tool::Tool>::validate::{{closure}}"),
    ("<countersign_runtime::mcp::call::", " as countersign_runtime::tool::Tool>::prepare::{{closure}}"),
    ("<countersign_runtime::mcp::call::", " as countersign_runtime::tool::Tool>::execute::{{closure}}"),
    (
        "<countersign_runtime::mcp::call::",
        " as countersign_runtime::tool::Tool>::stage_cancelled::{{closure}}",
    ),
    (
        "<countersign_runtime::tools::run::",
        " as countersign_runtime::tool::Tool>::stage_cancelled::{{closure}}",
    ),
    // A question to the toolbox. Only later code asks it.
    ("<countersign_worker::toolbox::Module as ", "::ask::{{closure}}"),
    // The same of the reader of descriptors.
    ("<countersign_worker::clear::Module as ", "::ask::{{closure}}"),
];

/// A function of fewer instructions is no entry: nothing is gained, and the compiler makes one of functions that are equal, as
/// short ones often are, so that the core may need it by another name.
const SHORTEST_ENTRY: u64 = 50;

/// The two modules.
pub(crate) struct Parts {
    /// What a start needs.
    pub(crate) core: Vec<u8>,
    /// The rest.
    pub(crate) later: Vec<u8>,
}

/// Splits a module that still has the names of its functions.
pub(crate) fn split(module: &[u8]) -> Result<Parts> {
    let plan = Plan::of(&parse(module)?)?;
    let (later, imports) = later_part(parse(module)?, &plan)?;
    Ok(Parts { core: core_part(parse(module)?, &plan, &imports)?, later })
}

/// Always with the same numbers for the same bytes.
fn parse(module: &[u8]) -> Result<Module> {
    ModuleConfig::new().generate_producers_section(false).parse(module)
}

/// What moves, by the numbers of functions.
struct Plan {
    /// Where the core enters the later part, in the order of their slots.
    entries: Vec<usize>,
    /// What the later part calls of the core, in the order of their slots, which follow.
    callees: Vec<usize>,
    /// The size of the table before.
    first_slot: u64,
}

impl Plan {
    fn of(module: &Module) -> Result<Self> {
        let entries: BTreeSet<usize> =
            in_elements(module).into_iter().filter(|id| is_entry(module, *id)).map(|id| id.index()).collect();
        if entries.is_empty() {
            bail!(
                "no function of the core is an entry of its later part: was one of ENTRIES in split.rs renamed?"
            );
        }
        let core = reachable(module, outside(module), &entries);
        let begin =
            module.funcs.iter().map(|function| function.id()).filter(|id| entries.contains(&id.index()));
        // What the core reaches is not looked into: what that calls, the core reaches too.
        let (mut later, mut callees) = (entries.clone(), BTreeSet::new());
        let mut left: Vec<FunctionId> = begin.collect();
        while let Some(caller) = left.pop() {
            for id in mentioned(module, caller) {
                // The core has all imports of JavaScript's: the shell gives them to it alone.
                let is_import = matches!(module.funcs.get(id).kind, FunctionKind::Import(_));
                if is_import || core.contains(&id.index()) {
                    callees.insert(id.index());
                } else if later.insert(id.index()) {
                    left.push(id);
                }
            }
        }
        if later.len() == entries.len() {
            bail!("the later part has no function besides its {} entries: nothing is gained", entries.len());
        }
        let first_slot = module.tables.get(function_table(module)?).initial;
        let (entries, callees) = (entries.into_iter().collect(), callees.into_iter().collect());
        Ok(Self { entries, callees, first_slot })
    }

    /// The slot of the first callee.
    fn first_callee(&self) -> u64 {
        self.first_slot + self.entries.len() as u64
    }

    /// How large the table must be.
    fn slots(&self) -> u64 {
        self.first_callee() + self.callees.len() as u64
    }
}

fn is_entry(module: &Module, id: FunctionId) -> bool {
    let function = module.funcs.get(id);
    let Some(name) = function.name.as_deref().map(without_hash) else { return false };
    let begins = |(begin, end): &(&str, &str)| name.starts_with(begin) && name.ends_with(end);
    // A future that the compiler did not inline into its wrapper makes the wrapper short, and is what is gained.
    let is_wrapper = WRAPPERS.iter().any(begins);
    let wrapped =
        || mentioned(module, id).into_iter().map(|inside| size(module.funcs.get(inside))).sum::<u64>();
    (is_wrapper || ENTRIES.iter().any(begins))
        && (size(function) >= SHORTEST_ENTRY || is_wrapper && wrapped() >= SHORTEST_ENTRY)
}

/// In instructions; nothing for a function of JavaScript.
fn size(function: &Function) -> u64 {
    match &function.kind {
        FunctionKind::Local(code) => code.size(),
        _ => 0,
    }
}

/// A function's name without the compiler's `::h0123456789abcdef`.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => name,
    }
}

fn function_table(module: &Module) -> Result<TableId> {
    module.tables.main_function_table()?.context("the core has no function table")
}

/// The functions in a constant.
fn in_constant(constant: &ConstExpr) -> Vec<FunctionId> {
    match constant {
        ConstExpr::RefFunc(id) => vec![*id],
        ConstExpr::Extended(operations) => operations
            .iter()
            .filter_map(|operation| match operation {
                ConstOp::RefFunc(id) => Some(*id),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The functions that can be called by their place in a table.
fn in_elements(module: &Module) -> Vec<FunctionId> {
    let items = module.elements.iter().flat_map(|element| match &element.items {
        ElementItems::Functions(ids) => ids.clone(),
        ElementItems::Expressions(_, items) => items.iter().flat_map(in_constant).collect(),
    });
    items.collect()
}

/// The functions that are called from outside, by their place in a table, or by a constant's value.
fn outside(module: &Module) -> Vec<FunctionId> {
    let mut ids = in_elements(module);
    ids.extend(module.start);
    ids.extend(module.exports.iter().filter_map(|export| match export.item {
        ExportItem::Function(id) => Some(id),
        _ => None,
    }));
    ids.extend(module.globals.iter().flat_map(|global| match &global.kind {
        GlobalKind::Local(value) => in_constant(value),
        GlobalKind::Import(_) => Vec::new(),
    }));
    ids.extend(module.tables.iter().flat_map(|table| &table.init).flat_map(in_constant));
    ids
}

/// All functions that are reached from some, through none of `closed`.
fn reachable(module: &Module, from: Vec<FunctionId>, closed: &BTreeSet<usize>) -> BTreeSet<usize> {
    let (mut reached, mut left) = (BTreeSet::new(), from);
    while let Some(id) = left.pop() {
        if closed.contains(&id.index()) || !reached.insert(id.index()) {
            continue;
        }
        left.extend(mentioned(module, id));
    }
    reached
}

/// The functions that a function's code mentions.
fn mentioned(module: &Module, id: FunctionId) -> Vec<FunctionId> {
    let mut mentioned = Mentioned(Vec::new());
    if let FunctionKind::Local(function) = &module.funcs.get(id).kind {
        dfs_in_order(&mut mentioned, function, function.entry_block());
    }
    mentioned.0
}

/// Collects the functions that a function's code mentions.
struct Mentioned(Vec<FunctionId>);

impl<'instr> Visitor<'instr> for Mentioned {
    fn visit_function_id(&mut self, id: &FunctionId) {
        self.0.push(*id);
    }
}

/// The later part, and what it imports: the import of number `n` has the name `n`.
fn later_part(mut module: Module, plan: &Plan) -> Result<(Vec<u8>, Vec<ImportKind>)> {
    let table = function_table(&module)?;
    for id in module.exports.iter().map(|export| export.id()).collect::<Vec<_>>() {
        module.exports.delete(id);
    }
    for id in module.data.iter().map(|data| data.id()).collect::<Vec<_>>() {
        module.data.delete(id);
    }
    for id in module.elements.iter().map(|element| element.id()).collect::<Vec<_>>() {
        module.elements.delete(id);
    }
    module.start = None;
    share_everything(&mut module);
    for (slot, id) in (plan.first_callee()..).zip(ids_of(&module, &plan.callees)) {
        if let FunctionKind::Import(function) = &module.funcs.get(id).kind {
            module.imports.delete(function.import);
        }
        stub(&mut module, id, table, slot)?;
    }
    make_room(&mut module, table, plan);
    fill(&mut module, table, plan.first_slot, &plan.entries)?;

    passes::gc::run(&mut module);
    let mut imports = Vec::new();
    for import in module.imports.iter_mut() {
        import.module = NAMESPACE.to_owned();
        import.name = imports.len().to_string();
        imports.push(import.kind.clone());
    }
    Ok((module.emit_wasm(), imports))
}

/// Makes imports of memories, tables and globals.
fn share_everything(module: &mut Module) {
    let Module { imports, globals, memories, tables, .. } = module;
    let ids: Vec<_> = globals.iter().map(|global| global.id()).collect();
    for id in ids {
        let global = globals.get_mut(id);
        if let GlobalKind::Local(_) = global.kind {
            global.kind = GlobalKind::Import(imports.add(NAMESPACE, "", id));
        }
    }
    for memory in memories.iter_mut() {
        let id = memory.id();
        memory.data_segments.clear();
        memory.import.get_or_insert_with(|| imports.add(NAMESPACE, "", id));
    }
    for table in tables.iter_mut() {
        let id = table.id();
        table.elem_segments.clear();
        table.init = None;
        table.import.get_or_insert_with(|| imports.add(NAMESPACE, "", id));
    }
}

/// The core: with a stub for each entry, without what only they reach, and with the later part's imports as exports.
fn core_part(mut module: Module, plan: &Plan, imports: &[ImportKind]) -> Result<Vec<u8>> {
    let table = function_table(&module)?;
    for (slot, id) in (plan.first_slot..).zip(ids_of(&module, &plan.entries)) {
        stub(&mut module, id, table, slot)?;
    }
    make_room(&mut module, table, plan);
    fill(&mut module, table, plan.first_callee(), &plan.callees)?;
    for (name, import) in imports.iter().enumerate() {
        let item = shared(&module, import).context("the later part imports what the core does not share")?;
        module.exports.add(&name.to_string(), item);
    }
    passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

/// Adds the slots of the entries to the table.
fn make_room(module: &mut Module, table: TableId, plan: &Plan) {
    let table = module.tables.get_mut(table);
    table.initial = plan.slots();
    table.maximum = table.maximum.map(|maximum| maximum.max(plan.slots()));
}

/// Writes functions into the table, from a slot on.
fn fill(module: &mut Module, table: TableId, first_slot: u64, functions: &[usize]) -> Result<()> {
    let offset = ConstExpr::Value(Value::I32(i32::try_from(first_slot)?));
    let functions = ElementItems::Functions(ids_of(module, functions));
    let element = module.elements.add(ElementKind::Active { table, offset }, functions);
    module.tables.get_mut(table).elem_segments.insert(element);
    Ok(())
}

/// Replaces a function's code by a call of a slot.
fn stub(module: &mut Module, id: FunctionId, table: TableId, slot: u64) -> Result<()> {
    let ty = module.funcs.get(id).ty();
    let (params, results) = (module.types.params(ty).to_vec(), module.types.results(ty).to_vec());
    let args: Vec<_> = params.iter().map(|param| module.locals.add(*param)).collect();
    let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
    let mut body = builder.func_body();
    for arg in &args {
        body.local_get(*arg);
    }
    body.i32_const(i32::try_from(slot)?).call_indirect(ty, table);
    module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(args));
    Ok(())
}

/// The functions of some numbers, in their order.
fn ids_of(module: &Module, numbers: &[usize]) -> Vec<FunctionId> {
    let all: Vec<_> = module.funcs.iter().map(|function| function.id()).collect();
    numbers.iter().filter_map(|number| all.iter().find(|id| id.index() == *number)).copied().collect()
}

/// What is shared under a number of the other copy of a module, in this one.
fn shared(module: &Module, item: &ImportKind) -> Option<ExportItem> {
    match item {
        ImportKind::Table(there) => {
            let mut all = module.tables.iter().map(|table| table.id());
            all.find(|id| id.index() == there.index()).map(ExportItem::Table)
        }
        ImportKind::Memory(there) => {
            let mut all = module.memories.iter().map(|memory| memory.id());
            all.find(|id| id.index() == there.index()).map(ExportItem::Memory)
        }
        ImportKind::Global(there) => {
            let mut all = module.globals.iter().map(|global| global.id());
            all.find(|id| id.index() == there.index()).map(ExportItem::Global)
        }
        ImportKind::Function(_) | ImportKind::Tag(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::quiet_output;
    use crate::project::{clean_dir, remove_dir, write};
    use std::process::Command;
    use walrus::ir::{BinaryOp, LoadKind, MemArg};
    use walrus::{DataKind, InstrSeqBuilder, RefType, ValType};

    const ENTRY: &str =
        "<countersign_runtime::later::Later<F> as core::future::future::Future>::poll::h0123456789abcdef";

    /// Adds a function of one number that is begun with that number on the stack.
    fn function(module: &mut Module, name: &str, body: impl FnOnce(&mut InstrSeqBuilder<'_>)) -> FunctionId {
        let x = module.locals.add(ValType::I32);
        let mut builder = FunctionBuilder::new(&mut module.types, &[ValType::I32], &[ValType::I32]);
        builder.name(name.to_owned());
        let mut code = builder.func_body();
        code.local_get(x);
        body(&mut code);
        builder.finish(vec![x], &mut module.funcs)
    }

    fn add(code: &mut InstrSeqBuilder<'_>, times: usize, number: i32) {
        for _ in 0..times {
            code.i32_const(number).binop(BinaryOp::I32Add);
        }
    }

    /// A module with the slots `dropped` and `entry`. The entry gives (x + 1) · 7 + the global, which it counts up: 7 is in
    /// the memory, x + 1 is made by a function that `dropped` calls too, and a function of JavaScript is told of it.
    fn module(entry: &str, calls_others: bool) -> Vec<u8> {
        let mut module = Module::default();
        let memory = module.memories.add_local(false, false, 1, None, None);
        let seven = ConstExpr::Value(Value::I32(16));
        let data = module.data.add(DataKind::Active { memory, offset: seven }, vec![7]);
        module.memories.get_mut(memory).data_segments.insert(data);
        let zero = ConstExpr::Value(Value::I32(0));
        let count = module.globals.add_local(ValType::I32, true, false, zero.clone());
        let table = module.tables.add_local(false, 2, Some(2), RefType::FUNCREF);
        let number = module.types.add(&[ValType::I32], &[ValType::I32]);
        let (told, _) = module.add_import_func("js", "told", number);

        let shared = function(&mut module, "shared", |code| add(code, 1, 1));
        let only_later = function(&mut module, "only_later", |code| {
            let at = MemArg { align: 1, offset: 16 };
            let byte = LoadKind::I32_8 { kind: walrus::ir::ExtendedLoad::ZeroExtend };
            code.call(shared).call(told).i32_const(0).load(memory, byte, at).binop(BinaryOp::I32Mul);
            code.global_get(count).i32_const(1).binop(BinaryOp::I32Add).global_set(count);
            code.global_get(count).binop(BinaryOp::I32Add);
        });
        let entry = function(&mut module, entry, |code| {
            if calls_others {
                code.call(only_later);
            }
            add(code, 50, 0);
        });
        let dropped =
            function(&mut module, "core::ptr::drop_in_place<countersign_runtime::later::Later<F>>", |code| {
                code.call(shared);
            });
        let element = module
            .elements
            .add(ElementKind::Active { table, offset: zero }, ElementItems::Functions(vec![dropped, entry]));
        module.tables.get_mut(table).elem_segments.insert(element);

        let (slot, x) = (module.locals.add(ValType::I32), module.locals.add(ValType::I32));
        let mut run = FunctionBuilder::new(&mut module.types, &[ValType::I32, ValType::I32], &[ValType::I32]);
        run.func_body().local_get(x).local_get(slot).call_indirect(number, table);
        let run = run.finish(vec![slot, x], &mut module.funcs);
        module.exports.add("run", run);
        module.emit_wasm()
    }

    fn names(module: &[u8]) -> BTreeSet<String> {
        parse(module).unwrap().funcs.iter().filter_map(|function| function.name.clone()).collect()
    }

    #[test]
    fn only_what_an_entry_alone_reaches_moves() {
        let Parts { core, later } = split(&module(ENTRY, true)).unwrap();
        assert!(names(&core).contains("shared") && !names(&core).contains("only_later"));
        assert!(names(&later).contains("only_later"));
        let part = parse(&later).unwrap();
        assert_eq!((part.exports.iter().count(), part.data.iter().count()), (0, 0));
        // Memory, table and the counter; no function.
        assert_eq!(
            part.imports.iter().map(|import| import.name.as_str()).collect::<Vec<_>>(),
            ["0", "1", "2"]
        );
        assert!(part.imports.iter().all(|import| import.module == NAMESPACE));
    }

    /// What is called before the later part is there traps; after that the two behave as the one did.
    #[test]
    fn parts_behave_as_the_whole() {
        let whole = module(ENTRY, true);
        let Parts { core, later } = split(&whole).unwrap();
        let folder = std::env::temp_dir().join(format!("countersign-split-{}", std::process::id()));
        clean_dir(&folder).unwrap();
        for (name, bytes) in [("whole", whole), ("core", core), ("later", later)] {
            write(&folder.join(name), bytes).unwrap();
        }
        let script = r#"
            const { readFileSync } = require("fs");
            const told = [];
            const js = { told: (x) => (told.push(x), x) };
            const instance = (name, imports) =>
              new WebAssembly.Instance(new WebAssembly.Module(readFileSync(`${process.argv[1]}/${name}`)), imports).exports;
            const attempt = (run) => { try { return run(); } catch (error) { return error.constructor.name; } };
            const whole = instance("whole", { js });
            const core = instance("core", { js });
            const before = [attempt(() => core.run(0, 5)), attempt(() => core.run(1, 5))];
            instance("later", { core });
            const calls = [[0, 5], [1, 5], [1, 5], [1, -3]];
            const of = (exports) => calls.map((call) => exports.run(...call));
            console.log(JSON.stringify([before, of(core), of(whole), told]));
        "#;
        let printed = quiet_output(Command::new("node").args(["-e", script]).arg(&folder)).unwrap();
        remove_dir(&folder).unwrap();
        assert_eq!(
            String::from_utf8(printed).unwrap().trim(),
            r#"[[6,"RuntimeError"],[6,43,44,-11],[6,43,44,-11],[6,6,-2,6,6,-2]]"#
        );
    }

    #[test]
    fn same_bytes_give_same_parts() {
        let whole = module(ENTRY, true);
        let (one, other) = (split(&whole).unwrap(), split(&whole).unwrap());
        assert!(one.core == other.core && one.later == other.later);
    }

    #[test]
    fn nothing_to_move_fails() {
        let error = |module: &[u8]| split(module).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error(&module("countersign_runtime::renamed", true)).contains("was one of ENTRIES"));
        assert!(error(&module(ENTRY, false)).contains("nothing is gained"));
    }
}
