import { clusterName } from './server-processes.ts'

/** Given on the command line at every start, so that no file under the data has to be edited or compared. */
export function serverSettings(data: string, own: Record<string, string> = {}): Record<string, string> {
  return {
    // Nothing but the socket in its private directory.
    listen_addresses: '',
    unix_socket_permissions: '0700',
    cluster_name: clusterName(data),
    max_connections: '100',
    // A guest on someone's machine: the operating system's cache does the rest.
    shared_buffers: '64MB',
    // Nothing is replicated: one process fewer.
    max_logical_replication_workers: '0',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '%m [%p] ',
    log_min_messages: 'warning',
    log_checkpoints: 'off',
    // Statements and the details of an error quote the rows they were about, and rows hold secrets.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...own,
  }
}
