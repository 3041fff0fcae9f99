export { ContentCodec, PlainContentCodec, SealedContentCodec } from './content-codec.js';
export { type Check, type ReadModels, type ReadModelsOptions, openReadModels } from './open-read-models.js';
export { type Database } from './postgres/database.js';
export { DatabaseFault } from './postgres/errors.js';
export { type ActionEntry, ActionQueries, type ActionQuery } from './queries/actions.js';
export { type CallbackEntry, CallbackQueries, type CallbackQuery } from './queries/callbacks.js';
export { History, type MessageView } from './queries/history.js';
export { type MessageItem, MessagePages } from './queries/message-pages.js';
export { KeyUseTable } from './queries/key-uses.js';
export { type RunQuery, RunQueries, type RunView } from './queries/runs.js';
export { type SessionQuery, SessionQueries } from './queries/sessions.js';
export { SessionsAsOf } from './queries/sessions-as-of.js';
export { type FiringView, type TaskQuery, TaskQueries, type TaskView } from './queries/tasks.js';
export { type WeighedPage } from './queries/weighed-page.js';
export { type RebuildOptions, type RebuildResult, rebuildReadModels } from './rebuild.js';
export { type ActionStatus } from './tables/actions.js';
export { ReadModelsRefused, ReadModelsUnavailable } from './unavailable.js';
export {
  METADATA_GROUP,
  USAGE_GROUPS,
  type UsageItem,
  UsageQueries,
  type UsageQuery,
} from './queries/usage.js';
export { MAX_USAGE_CURSOR } from './queries/usage-order.js';
