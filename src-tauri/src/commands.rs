//! The window's commands: adapters over [`Inspector`], one per use-case, nothing else.
//!
//! Every call runs off the main thread, so that the window keeps painting whatever the vault does.

use std::sync::Arc;

use inspector::constants::Constants;
use inspector::error::EdgeError;
use inspector::request::{
    AddRequest, ArrivalsRequest, ComparisonRequest, ContextRequest, DocumentFileRequest,
    DocumentRequest, EditRequest, ExportTraceRequest, ForecastRequest, GoldenRequest,
    HistoryRequest, HoldOutRequest, ImportRequest, IngestRequest, JudgeRequest, ListRequest,
    MeasureRequest, MergeRequest, NeighbourMapRequest, QueryRequest, RerankerRequest,
    RetuneRequest, RunRequest, SettingsRequest, SuiteRequest, SweepRequest, TrialsRequest,
    WhyRequest,
};
use inspector::view::{
    AddedView, ArrivalsView, ComparisonView, ContextView, DocumentSearchView, DocumentTextView,
    DocumentView, DuplicatesView, ExportedView, FacetsView, FolderOffer, ForecastView,
    GoldenQueryView, GradesView, GuideStep, HeadroomView, HeldOutView, HistoryView, ImportedView,
    IngestErrorView, IngestReport, LatencyView, LedgerView, MapView, MeasureView, MemoryView,
    MergeDraftView, NeighbourMapView, PageView, PairView, PairsView, QueryEditsView, QueryView,
    RerankersView, ResearchView, SavedFileView, SessionContentView, SessionView, SettingsView,
    SourceView, StatusView, StoredDocumentView, StoredTraceView, StrengthView, SuiteView,
    SweepView, TrialsView, UsageView, VerdictView,
};
use inspector::{
    BackupView, ExportForm, ExportView, FileOnDiskView, HealthView, ImportView, Inspector,
    KeySlotView, KeychainView, ProofView, RekeyedView, RemovedView, StorageView,
};
use tauri::State;
use tauri_specta::{Commands, collect_commands};

type Shared<'a> = State<'a, Arc<Inspector>>;

async fn off_thread<T: Send + 'static>(
    inspector: &Arc<Inspector>,
    work: impl FnOnce(&Inspector) -> Result<T, EdgeError> + Send + 'static,
) -> Result<T, EdgeError> {
    let inspector = Arc::clone(inspector);
    match tauri::async_runtime::spawn_blocking(move || work(&inspector)).await {
        Ok(result) => result,
        Err(_) => Err(EdgeError::internal("the command was interrupted")),
    }
}

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) -> $out:ty = |$inspector:ident| $body:expr;)+) => {
        $(
            $(#[$doc])*
            #[tauri::command]
            #[specta::specta]
            pub async fn $name(inspector: Shared<'_>, $($arg: $type),*) -> Result<$out, EdgeError> {
                off_thread(inspector.inner(), move |$inspector| $body).await
            }
        )+

        /// All commands, for the window and for the generated bindings.
        pub fn all() -> Commands<tauri::Wry> {
            collect_commands![$($name),+]
        }
    };
}

commands! {
    /// The state of everything.
    status() -> StatusView = |i| i.status();
    /// Creates the person's vault and opens it.
    create_vault(passphrase: String) -> StatusView = |i| i.create_vault(passphrase);
    /// Builds the demo vault from the logs that ship with the program, and opens it.
    open_demo() -> StatusView = |i| i.open_demo();
    /// Opens the person's vault.
    unlock(passphrase: String) -> StatusView = |i| i.unlock(passphrase);
    /// Whether a slot is the system keychain's, and how that answers.
    keychain() -> KeychainView = |i| i.keychain();
    /// Opens the person's vault by the system's keychain.
    unlock_by_keychain() -> StatusView = |i| i.unlock_by_keychain();
    /// Lets this machine's keychain open the vault.
    use_keychain(passphrase: String) -> KeychainView = |i| i.use_keychain(passphrase);
    /// Closes the way in by this machine's keychain.
    forget_keychain() -> RemovedView = |i| i.forget_keychain();
    /// Closes the vault and forgets its key.
    lock() -> StatusView = |i| i.lock();
    /// How hard a passphrase is to guess.
    passphrase_strength(passphrase: String) -> StrengthView = |i| Ok(i.passphrase_strength(passphrase));
    /// Searches and ranks.
    query(request: QueryRequest) -> QueryView = |i| i.query(&request);
    /// Ranks the same candidates under other constants.
    retune(request: RetuneRequest) -> QueryView = |i| i.retune(&request);
    /// The block that an agent is given for a query, in either form.
    context(request: ContextRequest) -> ContextView = |i| i.context(&request);
    /// Why the keyword leg gave a memory its score.
    ledger(recall: String, id: String) -> LedgerView = |i| i.ledger(&recall, &id);
    /// Why a memory is not among the results.
    why(request: WhyRequest) -> VerdictView = |i| i.why(&request);
    /// When the results change while time passes and nothing else does.
    forecast(request: ForecastRequest) -> ForecastView = |i| i.forecast(&request);
    /// Which new memories would be among the results, were the query asked now.
    arrivals(request: ArrivalsRequest) -> ArrivalsView = |i| i.arrivals(&request);
    /// Past queries, newest first.
    history(request: HistoryRequest) -> HistoryView = |i| i.history(&request);
    /// A past query as it was.
    stored_trace(id: String) -> StoredTraceView = |i| i.stored_trace(&id);
    /// What became of the memories that an agent's question brought up.
    usage(id: String) -> UsageView = |i| i.usage(&id);
    /// Forgets all past queries.
    clear_history() -> u32 = |i| i.clear_history();
    /// A trace as the text of a file.
    export_trace(request: ExportTraceRequest) -> String = |i| i.export_trace(&request);
    /// Writes a trace to a place that a person chose.
    save_trace(request: ExportTraceRequest, path: String) -> SavedFileView = |i| i.save_trace(&request, &path);
    /// Says how well a memory answers a query.
    judge(request: JudgeRequest) -> GradesView = |i| i.judge(&request);
    /// The grades given for a query so far.
    grades(recall: String) -> GradesView = |i| i.grades(&recall);
    /// The golden queries with their grades.
    golden_queries() -> Vec<GoldenQueryView> = |i| i.golden_queries();
    /// Forgets a golden query with its judgements.
    delete_golden_query(id: String) -> Vec<GoldenQueryView> = |i| i.delete_golden_query(&id);
    /// Scores of the golden queries under these constants and under the preset in force.
    measure(request: MeasureRequest) -> MeasureView = |i| i.measure(&request);
    /// Two sets of constants on all golden queries, and whether the difference is more than luck.
    compare(request: ComparisonRequest) -> ComparisonView = |i| i.compare(&request);
    /// How much better the golden queries could be answered, and what would have to change for it.
    headroom(request: GoldenRequest) -> HeadroomView = |i| i.headroom(&request);
    /// One constant through its range, on all golden queries.
    sweep(request: SweepRequest) -> SweepView = |i| i.sweep(&request);
    /// A piece of a sweep over several constants.
    trials(request: TrialsRequest) -> TrialsView = |i| i.trials(&request);
    /// What a choice of constants is worth on golden queries that did not choose it.
    hold_out(request: HoldOutRequest) -> Option<HeldOutView> = |i| i.hold_out(&request);
    /// Stores judgements from TREC qrels.
    import_qrels(request: ImportRequest) -> ImportedView = |i| i.import_qrels(&request);
    /// All judgements as TREC qrels, and the texts of their queries.
    export_qrels() -> ExportedView = |i| i.export_qrels();
    /// The golden queries' lists after one stage, as a 6-column TREC run.
    export_run(request: RunRequest) -> String = |i| i.export_run(&request);
    /// Runs a regression suite.
    run_suite(request: SuiteRequest) -> SuiteView = |i| i.run_suite(&request);
    /// The smallest pair found of constants that bring a memory in together.
    pair_fix(request: WhyRequest) -> Option<PairView> = |i| i.pair_fix(&request);
    /// Other questions that would bring a memory in, and changes of it; each was tried.
    query_edits(request: WhyRequest) -> QueryEditsView = |i| i.query_edits(&request);
    /// All memories flattened to two dimensions, with the standing query's place.
    map(recall: Option<String>) -> MapView = |i| i.map(recall.as_deref());
    /// The memories laid out by their neighbours, or how far that is.
    neighbour_map(request: NeighbourMapRequest) -> NeighbourMapView = |i| i.neighbour_map(&request);
    /// A page of memories.
    list_memories(request: ListRequest) -> PageView = |i| i.list_memories(&request);
    /// What one can filter by.
    facets() -> FacetsView = |i| i.facets();
    /// The conversations, the one that was active last first.
    sessions() -> Vec<SessionView> = |i| i.sessions();
    /// One conversation from its beginning.
    session(id: String) -> SessionContentView = |i| i.session(&id);
    /// Opens the log of a memory at its line, with the command that is set.
    open_source(id: String) -> () = |i| i.open_source(&id);
    /// How long the queries asked lately took.
    latencies() -> LatencyView = |i| i.latencies();
    /// One memory in full.
    get_memory(id: String, recall: Option<String>) -> MemoryView = |i| i.get_memory(&id, recall.as_deref());
    /// Stores a memory written by hand.
    add_memory(request: AddRequest) -> AddedView = |i| i.add_memory(&request);
    /// Changes a memory.
    edit_memory(request: EditRequest) -> MemoryView = |i| i.edit_memory(&request);
    /// What merging memories would make.
    merge_draft(ids: Vec<String>) -> MergeDraftView = |i| i.merge_draft(&ids);
    /// Memories that mean nearly the same, and what may contradict each other.
    duplicates(at: Option<f64>) -> DuplicatesView = |i| i.duplicates(at);
    /// Moves the cosine from which on memories are linked as near duplicates.
    set_near_duplicate(at: f64) -> DuplicatesView = |i| i.set_near_duplicate(at);
    /// Keeps memories beside each other, however near they lie.
    keep_apart(ids: Vec<String>) -> PairsView = |i| i.keep_apart(&ids);
    /// Takes that back.
    let_join(ids: Vec<String>) -> PairsView = |i| i.let_join(&ids);
    /// Puts one memory in the place of several.
    merge_memories(request: MergeRequest) -> MemoryView = |i| i.merge_memories(&request);
    /// Puts memories into the trash.
    delete_memories(ids: Vec<String>) -> u32 = |i| i.delete_memories(&ids);
    /// Takes memories out of the trash.
    restore_memories(ids: Vec<String>) -> u32 = |i| i.restore_memories(&ids);
    /// Removes every byte of memories for ever.
    purge_memories(ids: Vec<String>) -> u32 = |i| i.purge_memories(&ids);
    /// Takes the last edit, deletion or restoration back.
    undo() -> Option<String> = |i| i.undo();
    /// The agents' folders found on this machine.
    discover_folders() -> Vec<FolderOffer> = |i| i.discover_folders();
    /// What taking in would do; stores nothing.
    dry_run(request: IngestRequest) -> IngestReport = |i| i.dry_run(&request);
    /// Takes in what is there and keeps watching.
    watch_folder(request: IngestRequest) -> SourceView = |i| i.watch_folder(&request);
    /// Stops watching; what was stored stays.
    unwatch(id: String) -> Vec<SourceView> = |i| i.unwatch(&id);
    /// The watched folders.
    sources() -> Vec<SourceView> = |i| i.sources();
    /// Lines of a source that could not be read.
    source_errors(id: String) -> Vec<IngestErrorView> = |i| i.source_errors(&id);
    /// All documents by id.
    documents() -> Vec<DocumentView> = |i| i.list_documents();
    /// A document with its text.
    document(id: String) -> DocumentTextView = |i| i.document(&id);
    /// Takes a text in as a document.
    store_document(request: DocumentRequest) -> StoredDocumentView = |i| i.ingest_document(&request).map(Into::into);
    /// Takes a text file in as a document.
    store_document_file(request: DocumentFileRequest) -> StoredDocumentView = |i| i.ingest_document_file(&request).map(Into::into);
    /// Removes a document for good.
    delete_document(id: String) -> Vec<DocumentView> = |i| i.delete_document(&id).and_then(|()| i.list_documents());
    /// Asks the documents alone.
    search_documents(text: String) -> DocumentSearchView = |i| i.search_documents(&text).map(Into::into);
    /// Past research, newest first.
    list_research() -> Vec<ResearchView> = |i| i.list_research();
    /// Forgets past research.
    forget_research(key: String) -> Vec<ResearchView> = |i| i.forget_research(&key).and_then(|()| i.list_research());
    /// The settings.
    settings() -> SettingsView = |i| i.settings();
    /// Changes settings.
    save_settings(request: SettingsRequest) -> SettingsView = |i| i.save_settings(&request);
    /// Stores a named set of constants.
    save_preset(name: String, constants: Constants) -> SettingsView = |i| i.save_preset(&name, &constants);
    /// Forgets a named set of constants.
    delete_preset(name: String) -> SettingsView = |i| i.delete_preset(&name);
    /// Which reranker is in use, and what is set up; never a key.
    rerankers() -> RerankersView = |i| i.rerankers();
    /// Takes another reranker into use.
    use_reranker(request: RerankerRequest) -> RerankersView = |i| i.use_reranker(&request);
    /// Forgets the reranking service and its key.
    forget_rerank_service() -> RerankersView = |i| i.forget_rerank_service();
    /// Queries to try on the demo memory.
    demo_guide() -> Vec<GuideStep> = |i| i.demo_guide();
    /// What opens the person's vault.
    key_slots() -> Vec<KeySlotView> = |i| i.key_slots();
    /// A new passphrase takes the place of the current one.
    change_passphrase(current: String, next: String) -> Vec<KeySlotView> = |i| i.change_passphrase(current, next).and_then(|()| i.key_slots());
    /// One more passphrase.
    add_passphrase(current: String, next: String) -> Vec<KeySlotView> = |i| i.add_passphrase(current, next).and_then(|()| i.key_slots());
    /// A recovery code, shown this once.
    draw_recovery_code(current: String) -> String = |i| i.draw_recovery_code(current);
    /// Takes a slot away; never the last one.
    remove_key_slot(current: String, number: u32) -> Vec<KeySlotView> = |i| i.remove_key_slot(current, number).and_then(|_| i.key_slots());
    /// Encrypts everything anew under another key.
    rekey(current: String) -> RekeyedView = |i| i.rekey(current);
    /// Looks at every page, the structure, the indexes, the permissions.
    check_vault() -> HealthView = |i| i.check();
    /// Checks, and mends what can be mended.
    repair_vault(passphrase: String) -> HealthView = |i| i.repair(passphrase);
    /// Writes an encrypted backup to a place that a person chose: a file, or a folder that keeps some.
    back_up(path: String, keep: Option<u32>) -> BackupView = |i| i.back_up(path.as_ref(), keep);
    /// Puts a backup in the place of the vault, which is set aside.
    restore_backup(path: String, passphrase: String) -> BackupView = |i| i.restore_backup(path.as_ref(), passphrase, true);
    /// Writes memories to a place that a person chose.
    export_memories(path: String, form: ExportForm) -> ExportView = |i| i.export(path.as_ref(), form);
    /// Brings in what an archive or a backup holds.
    import_archive(path: String, passphrase: String, prefer_archive: bool) -> ImportView = |i| i.import(path.as_ref(), passphrase, prefer_archive);
    /// The vault's files, and how each of them begins.
    files_on_disk() -> Vec<FileOnDiskView> = |i| i.files_on_disk();
    /// Seeks a word in every byte of the vault's files.
    prove(word: String) -> ProofView = |i| i.prove(&word);
    /// What takes the space of the database.
    storage() -> Vec<StorageView> = |i| i.storage();
    /// Tries to load the model again.
    retry_model() -> StatusView = |i| i.retry_model();
}
