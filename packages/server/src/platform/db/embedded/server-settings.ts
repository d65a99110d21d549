import { clusterName } from './server-processes.ts'

/** Passed on the command line at every start, so that no file in the data directory has to be edited. */
export function serverSettings(data: string, own: Record<string, string> = {}): Record<string, string> {
  return {
    // Only the socket in its private directory.
    listen_addresses: '',
    unix_socket_permissions: '0700',
    // Not in /dev/shm, which agents of the same user see. Confined agents have no access to System V memory of others.
    dynamic_shared_memory_type: process.platform === 'linux' ? 'sysv' : 'posix',
    cluster_name: clusterName(data),
    max_connections: '100',
    // A small share of the machine; the cache of the operating system does the rest.
    shared_buffers: '64MB',
    // No replication, so one process fewer.
    max_logical_replication_workers: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '%m [%p] ',
    log_min_messages: 'warning',
    log_checkpoints: 'off',
    // Statements and error details quote rows, and rows hold secrets.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...own,
  }
}
