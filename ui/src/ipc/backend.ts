/**
 * What the window can ask of the core, and the one place that knows who answers.
 *
 * The real backend talks to Tauri; tests and `vite --mode fake` put an in-memory one in its place.
 */
import type {
  ArrivalsRequest,
  ArrivalsView,
  ComparisonRequest,
  ComparisonView,
  Constants,
  DocumentFileRequest,
  DocumentRequest,
  DocumentSearchView,
  DocumentTextView,
  DocumentView,
  EdgeError,
  EditRequest,
  ExportedView,
  ExportTraceRequest,
  FacetsView,
  FolderOffer,
  ForecastRequest,
  ForecastView,
  GoldenQueryView,
  GoldenRequest,
  GradesView,
  GuideStep,
  HeadroomView,
  HeldOutView,
  HistoryRequest,
  HistoryView,
  HoldOutRequest,
  ImportedView,
  ImportRequest,
  IngestErrorView,
  IngestReport,
  IngestRequest,
  JudgeRequest,
  LatencyView,
  LedgerView,
  ListRequest,
  MapView,
  MeasureRequest,
  MeasureView,
  MemoryView,
  MergeDraftView,
  MergeRequest,
  NeighbourMapRequest,
  NeighbourMapView,
  Notice,
  PageView,
  QueryEditsView,
  QueryRequest,
  QueryView,
  RerankerRequest,
  RerankersView,
  ResearchView,
  RetuneRequest,
  RunRequest,
  SavedFileView,
  SettingsRequest,
  SettingsView,
  SourceView,
  StatusView,
  StoredDocumentView,
  StoredTraceView,
  StrengthView,
  SuiteRequest,
  SuiteView,
  SweepRequest,
  SweepView,
  TrialsRequest,
  TrialsView,
  VerdictView,
  WhyRequest,
} from './types';

/** One function per use-case. Every promise rejects with {@link EdgeFailure} and nothing else. */
export interface Backend {
  status(): Promise<StatusView>;
  createVault(passphrase: string): Promise<StatusView>;
  openDemo(): Promise<StatusView>;
  unlock(passphrase: string): Promise<StatusView>;
  lock(): Promise<StatusView>;
  passphraseStrength(passphrase: string): Promise<StrengthView>;
  query(request: QueryRequest): Promise<QueryView>;
  retune(request: RetuneRequest): Promise<QueryView>;
  ledger(recall: string, id: string): Promise<LedgerView>;
  why(request: WhyRequest): Promise<VerdictView>;
  forecast(request: ForecastRequest): Promise<ForecastView>;
  arrivals(request: ArrivalsRequest): Promise<ArrivalsView>;
  history(request: HistoryRequest): Promise<HistoryView>;
  storedTrace(id: string): Promise<StoredTraceView>;
  clearHistory(): Promise<number>;
  exportTrace(request: ExportTraceRequest): Promise<string>;
  saveTrace(request: ExportTraceRequest, path: string): Promise<SavedFileView>;
  judge(request: JudgeRequest): Promise<GradesView>;
  grades(recall: string): Promise<GradesView>;
  goldenQueries(): Promise<GoldenQueryView[]>;
  deleteGoldenQuery(id: string): Promise<GoldenQueryView[]>;
  measure(request: MeasureRequest): Promise<MeasureView>;
  compare(request: ComparisonRequest): Promise<ComparisonView>;
  headroom(request: GoldenRequest): Promise<HeadroomView>;
  sweep(request: SweepRequest): Promise<SweepView>;
  trials(request: TrialsRequest): Promise<TrialsView>;
  holdOut(request: HoldOutRequest): Promise<HeldOutView | null>;
  importQrels(request: ImportRequest): Promise<ImportedView>;
  exportQrels(): Promise<ExportedView>;
  exportRun(request: RunRequest): Promise<string>;
  runSuite(request: SuiteRequest): Promise<SuiteView>;
  listMemories(request: ListRequest): Promise<PageView>;
  facets(): Promise<FacetsView>;
  latencies(): Promise<LatencyView>;
  map(recall: string | null): Promise<MapView>;
  neighbourMap(request: NeighbourMapRequest): Promise<NeighbourMapView>;
  queryEdits(request: WhyRequest): Promise<QueryEditsView>;
  getMemory(id: string, recall: string | null): Promise<MemoryView>;
  editMemory(request: EditRequest): Promise<MemoryView>;
  mergeDraft(ids: string[]): Promise<MergeDraftView>;
  mergeMemories(request: MergeRequest): Promise<MemoryView>;
  deleteMemories(ids: string[]): Promise<number>;
  restoreMemories(ids: string[]): Promise<number>;
  purgeMemories(ids: string[]): Promise<number>;
  undo(): Promise<string | null>;
  discoverFolders(): Promise<FolderOffer[]>;
  dryRun(request: IngestRequest): Promise<IngestReport>;
  watchFolder(request: IngestRequest): Promise<SourceView>;
  unwatch(id: string): Promise<SourceView[]>;
  sources(): Promise<SourceView[]>;
  sourceErrors(id: string): Promise<IngestErrorView[]>;
  documents(): Promise<DocumentView[]>;
  document(id: string): Promise<DocumentTextView>;
  storeDocument(request: DocumentRequest): Promise<StoredDocumentView>;
  storeDocumentFile(request: DocumentFileRequest): Promise<StoredDocumentView>;
  deleteDocument(id: string): Promise<DocumentView[]>;
  searchDocuments(text: string): Promise<DocumentSearchView>;
  listResearch(): Promise<ResearchView[]>;
  forgetResearch(key: string): Promise<ResearchView[]>;
  settings(): Promise<SettingsView>;
  saveSettings(request: SettingsRequest): Promise<SettingsView>;
  savePreset(name: string, constants: Constants): Promise<SettingsView>;
  deletePreset(name: string): Promise<SettingsView>;
  rerankers(): Promise<RerankersView>;
  useReranker(request: RerankerRequest): Promise<RerankersView>;
  forgetRerankService(): Promise<RerankersView>;
  demoGuide(): Promise<GuideStep[]>;
  retryModel(): Promise<StatusView>;
  /** Calls back for every notice; the answer stops it. */
  onNotice(callback: (notice: Notice) => void): () => void;
  /** Asks the person for a folder in the system's own dialog; null when they changed their mind. */
  pickFolder(title: string): Promise<string | null>;
  /** Asks for a file in the same way. */
  pickFile(title: string): Promise<string | null>;
  /** Asks for the place of a new file in the same way; `name` is the proposal. */
  pickPlace(title: string, name: string): Promise<string | null>;
}

/** The core's error as something that can be thrown. Its sentence comes from the catalogue. */
export class EdgeFailure extends Error {
  readonly edge: EdgeError;

  constructor(edge: EdgeError) {
    super(edge.code);
    this.name = 'EdgeFailure';
    this.edge = edge;
  }
}

let current: Backend | null = null;

/** Chooses who answers; called once before the first paint, and by tests. */
export function setBackend(next: Backend): void {
  current = next;
}

/** Who answers. */
export function backend(): Backend {
  if (current === null) throw new Error('setBackend() was not called');
  return current;
}
