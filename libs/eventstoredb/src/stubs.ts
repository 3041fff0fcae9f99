import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

/**
 * The generated messages of the client's package. They are CommonJS without names to import, hence this one place. Its
 * services, which load a whole gRPC, are needed for their paths only: a test holds these against them.
 */
export { features, shared, streams };

const PACKAGE = '/event_store.client';
export const PATHS = {
  batchAppend: `${PACKAGE}.streams.Streams/BatchAppend`,
  read: `${PACKAGE}.streams.Streams/Read`,
  supportedMethods: `${PACKAGE}.server_features.ServerFeatures/GetSupportedMethods`,
} as const;

export type * from '@eventstore/db-client/generated/streams_pb.js';
export type { Status } from '@eventstore/db-client/generated/status_pb.js';
