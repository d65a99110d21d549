/** What a resumed session no longer is: failed, paused or asleep. */
export const staleKeys = ['failure_reason', 'exit_status', 'paused_by', 'pending_sleep', 'deliberate_sleep_at'] as const

/** Of a session whose turn waits for a free slot, until that turn is let in or put away. */
export const holdKeys = ['spot_hold_at', 'spot_hold_reason', 'spot_hold_detail'] as const

/** What says where a session lives on disk; forgotten when it is set up anew. */
export const setupKeys = ['clone_path', 'working_directory', 'process_pid', 'runtime_started'] as const
