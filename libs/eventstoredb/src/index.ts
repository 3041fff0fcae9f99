export { EsdbEventLog, type EsdbEventLogOptions } from './esdb-event-log.js';
