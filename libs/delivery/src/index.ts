export { type CallbackRun } from './callbacks/callback-attempt.js';
export { CallbackRelay, type RelayPorts } from './callbacks/callback-relay.js';
export {
  AllDeliveries,
  type CallbackIndex,
  type DeliveryFilter,
  type ListedDelivery,
} from './callbacks/all-deliveries.js';
export * from './callbacks/callback-sender.js';
export * from './callbacks/callback.js';
export * from './callbacks/deliveries.js';
export { webhookSignature } from './callbacks/signature.js';
export * from './client-sink.js';
export * from './event-streams.js';
export { HttpCallbackSender } from './http/http-callback-sender.js';
export { type CommandsPorts } from './kafka/commands-ports.js';
export { type KafkaConnection } from './kafka/kafka-client.js';
export { CommandHandler, type CommandOutcome, type KafkaCommand } from './kafka/kafka-command.js';
export { type KafkaCommands } from './kafka/kafka-commands.js';
export { type KafkaPublisher, type PublisherPorts } from './kafka/kafka-publisher.js';
export { type CommandsStatus, type PublisherStatus } from './kafka/kafka-status.js';
export { openKafkaCommands, openKafkaPublisher } from './kafka/open-kafka.js';
export { fetchedBytes, onOneLine, publicJson } from './public-json.js';
export { RECEIPT_HEADER, type RunReceipts } from './run-receipts.js';
export { type Disclosure, SessionExport, type SessionExportPorts } from './session-export.js';
export { type LogLine, SessionLog, type SessionLogRequest } from './session-log.js';
