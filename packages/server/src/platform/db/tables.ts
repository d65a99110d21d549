/**
 * Every table by name. A room adds its own with `declare module`, so the list of tables is never written twice and no
 * room has to import another to join it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the rooms
export interface Tables {}
