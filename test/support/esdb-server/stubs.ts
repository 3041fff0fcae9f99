import { createRequire } from 'node:module';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';

/** The client's own generated stubs, and the library that they use, from where the client finds it. */
const require = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
export const { Any } = require('google-protobuf/google/protobuf/any_pb.js') as {
  readonly Any: new () => { pack(bytes: Uint8Array, name: string): void };
};
export { features, gossip, shared, status, streams };
export const { GossipService } = gossipGrpc;
export const { ServerFeaturesService } = featuresGrpc;
export const { StreamsService } = streamsGrpc;

export type * from '@eventstore/db-client/generated/streams_pb.js';
export type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
