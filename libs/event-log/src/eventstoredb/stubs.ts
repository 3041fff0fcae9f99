import features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

/** The generated messages of the client's package. They are CommonJS without names to import, hence this one place. */
export { shared, streams };
export const { StreamsClient } = streamsGrpc;
export const { ServerFeaturesClient } = features;

export type * from '@eventstore/db-client/generated/streams_pb.js';
export type { Status } from '@eventstore/db-client/generated/status_pb.js';
export type { ServerFeaturesClient as ServerFeaturesStub } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
