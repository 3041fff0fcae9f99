import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';

/** The generated messages of the client's package. They are CommonJS without names to import, hence this one place. */
export { features, shared, streams };
export const { StreamsService } = streamsGrpc;
export const { ServerFeaturesService } = featuresGrpc;

export type * from '@eventstore/db-client/generated/streams_pb.js';
export type { Status } from '@eventstore/db-client/generated/status_pb.js';
