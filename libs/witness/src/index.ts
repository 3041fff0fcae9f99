export { WitnessServer } from './http/witness-server.js';
export { type OpenWitnessOptions, type OpenedWitness, WitnessRefused, openWitness } from './open-witness.js';
export { type WitnessReply, Witness } from './witness.js';
