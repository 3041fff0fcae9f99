export { ContentCodec, PlainContentCodec } from './content-codec.js';
export { type Check, type ReadModels, type ReadModelsOptions, openReadModels } from './open-read-models.js';
export type { RunError, RunStatus } from './projection/rows.js';
export { type ApiKeyQuery, ApiKeys, type ApiKeyView, type StoredApiKey } from './queries/api-keys.js';
export type { Page, PageRequest } from './queries/cursor.js';
export { History, type MessageView } from './queries/history.js';
export { type RunQuery, Runs, type RunView } from './queries/runs.js';
export { type SessionQuery, Sessions, type SessionView } from './queries/sessions.js';
export { ReadModelsRefused, ReadModelsUnavailable } from './unavailable.js';
