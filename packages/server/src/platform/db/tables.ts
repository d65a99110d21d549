/**
 * All tables by name. Each room adds its own with `declare module`, so that no list is kept twice and a room can join a
 * table without importing its room.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the rooms
export interface Tables {}
