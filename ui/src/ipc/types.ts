/**
 * The shapes that cross to the core, as the window uses them.
 *
 * The generated bindings mark every field with a Rust default as optional, because requests may
 * leave it out. What the core sends is always complete, so views drop the question marks here.
 */
import type * as B from './bindings';

type Complete<T> = T extends object ? { [K in keyof T]-?: Complete<T[K]> } : T;

export type ArrivalsView = B.ArrivalsView;
export type ComparisonView = Complete<B.ComparisonView>;
export type Constants = Complete<B.Constants>;
export type ContextView = Complete<B.ContextView>;
export type DifferenceView = Complete<B.DifferenceView>;
export type EdgeError = Complete<B.EdgeError>;
export type ExportedView = B.ExportedView;
export type FacetsView = Complete<B.FacetsView>;
export type LatencyRow = Complete<B.LatencyRow>;
export type LatencyView = Complete<B.LatencyView>;
export type FacetValue = B.FacetValue;
export type FixView = Complete<B.FixView>;
export type FolderOffer = B.FolderOffer;
export type ForecastView = Complete<B.ForecastView>;
export type GateView = Complete<B.GateView>;
export type GoldenQueryView = Complete<B.GoldenQueryView>;
export type GradesView = Complete<B.GradesView>;
export type GuideStep = Complete<B.GuideStep>;
export type HighlightView = B.HighlightView;
export type HistoryEntry = Complete<B.HistoryEntry>;
export type HistoryView = Complete<B.HistoryView>;
export type ImportedView = B.ImportedView;
export type IngestErrorView = B.IngestErrorView;
export type IngestReport = Complete<B.IngestReport>;
export type DocumentHit = Complete<B.DocumentHit>;
export type DocumentLookup = Complete<B.DocumentLookup>;
export type Lanes = Complete<B.Lanes>;
export type LaneTexts = Complete<B.LaneTexts>;
export type LedgerTerm = Complete<B.LedgerTerm>;
export type LedgerView = Complete<B.LedgerView>;
export type MapView = Complete<B.MapView>;
export type MeasureView = Complete<B.MeasureView>;
export type MemoryCard = Complete<B.MemoryCard>;
export type MemoryLookup = Complete<B.MemoryLookup>;
export type MemoryFate = Complete<B.MemoryFate>;
export type MemoryView = Complete<B.MemoryView>;
export type MetricsView = Complete<B.MetricsView>;
export type ModelState = B.ModelState;
export type Notice = B.Notice;
export type PageView = Complete<B.PageView>;
export type PresetView = Complete<B.PresetView>;
export type QueryEditsView = Complete<B.QueryEditsView>;
export type QueryEditView = Complete<B.QueryEditView>;
export type QueryMeasureView = Complete<B.QueryMeasureView>;
export type QueryView = Complete<B.QueryView>;
export type RoutedTerm = Complete<B.RoutedTerm>;
export type SavedFileView = B.SavedFileView;
export type ScoresView = B.ScoresView;
export type ScoreTerm = Complete<B.ScoreTerm>;
export type SettingsView = Complete<B.SettingsView>;
export type SourceView = Complete<B.SourceView>;
export type StageItem = Complete<B.StageItem>;
export type StageTrace = Complete<B.StageTrace>;
export type StatusView = Complete<B.StatusView>;
export type StoredTraceView = Complete<B.StoredTraceView>;
export type StrengthView = B.StrengthView;
export type SuiteView = Complete<B.SuiteView>;
export type SweepView = Complete<B.SweepView>;
export type Trace = Complete<B.Trace>;
export type VerdictView = Complete<B.VerdictView>;
export type VersionView = B.VersionView;

export type ArrivalsRequest = B.ArrivalsRequest;
export type ComparisonRequest = B.ComparisonRequest;
export type ImportRequest = B.ImportRequest;
export type JudgeRequest = B.JudgeRequest;
export type MeasureRequest = B.MeasureRequest;
export type RunRequest = B.RunRequest;
export type SuiteRequest = B.SuiteRequest;
export type SweepRequest = B.SweepRequest;
export type ExportTraceRequest = B.ExportTraceRequest;
export type FilterRequest = B.FilterRequest;
export type ForecastRequest = B.ForecastRequest;
export type HistoryRequest = B.HistoryRequest;
export type RedactionRequest = B.RedactionRequest;
export type EditRequest = B.EditRequest;
export type IngestRequest = B.IngestRequest;
export type ListRequest = B.ListRequest;
export type QueryRequest = B.QueryRequest;
export type RetuneRequest = B.RetuneRequest;
export type SettingsRequest = B.SettingsRequest;
export type WhyRequest = B.WhyRequest;

export type DropReason = B.DropReason;
export type ErrorCode = B.ErrorCode;
export type GateVerdict = B.GateVerdict;
export type Level = B.Level;
export type Mode = B.Mode;
export type SortOrder = B.SortOrder;
export type Stage = B.Stage;
export type Status = B.Status;
export type TermName = B.TermName;
