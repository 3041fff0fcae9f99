/** A worker is a replica and its boot: no other process ever has the same name. */
export const workerOf = (replica: string, boot: string): string => `${replica}:${boot}`;

/** The replica of a worker. */
export const replicaOf = (worker: string): string => worker.slice(0, worker.lastIndexOf(':'));
