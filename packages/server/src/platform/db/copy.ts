import { once } from 'node:events'
import { Readable } from 'node:stream'
import pg from 'pg'

type CopyConnection = pg.Connection & {
  stream: NodeJS.WritableStream & { pause(): void; resume(): void; writableNeedDrain: boolean }
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** What the driver calls on a query. A COPY needs few of them; the others happen and mean nothing to it. */
abstract class Copy implements pg.Submittable {
  readonly #statement: string
  constructor(statement: string) {
    this.#statement = statement
  }
  submit(connection: pg.Connection): void {
    connection.query(this.#statement)
  }
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleCopyInResponse(_connection: CopyConnection): void {}
  handleCopyData(_message: { chunk: Buffer }, _connection: CopyConnection): void {}
  abstract handleReadyForQuery(): void
  abstract handleError(error: Error): void
}

/** The bytes of a `copy ... to stdout`, as fast as they are read. */
export function copyOut(client: pg.Client, statement: string): Readable {
  let connection: CopyConnection | undefined
  const resume = (): void => {
    connection?.stream.resume()
  }
  const rows = new Readable({
    read: resume,
    // What a reader that left does not take is still in front of the answer to the next query.
    destroy: (error, callback) => {
      resume()
      callback(error)
    },
  })
  class CopyOut extends Copy {
    override handleCopyData({ chunk }: { chunk: Buffer }, from: CopyConnection): void {
      connection = from
      // A copy: the driver uses its buffer again.
      if (!rows.destroyed && !rows.push(Buffer.from(chunk))) from.stream.pause()
    }
    handleReadyForQuery(): void {
      rows.push(null)
      // The end of the rows may come while the connection is paused. Rows that ended ask for no more, so nothing else resumes it.
      resume()
    }
    handleError(error: Error): void {
      rows.destroy(error)
    }
  }
  client.query(new CopyOut(statement))
  return rows
}

/** Sends the bytes to a `copy ... from stdin`. Fails if the source fails, and then nothing is stored. */
export function copyIn(client: pg.Client, statement: string, source: AsyncIterable<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false
    const send = async (connection: CopyConnection): Promise<void> => {
      try {
        for await (const chunk of source) {
          if (isOver) return
          connection.sendCopyFromChunk(chunk)
          if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
        }
        connection.endCopyFrom()
      } catch (error) {
        connection.sendCopyFail('the source failed')
        reject(error)
      }
    }
    class CopyIn extends Copy {
      override handleCopyInResponse(connection: CopyConnection): void {
        void send(connection)
      }
      handleReadyForQuery(): void {
        isOver = true
        resolve()
      }
      handleError(error: Error): void {
        isOver = true
        reject(error)
      }
    }
    client.query(new CopyIn(statement))
  })
}

/** `"schema"."table" ("one", "two")`, as COPY takes it. */
export function copyTarget({
  schema,
  name,
  columns,
}: {
  schema: string
  name: string
  columns: readonly string[]
}): string {
  const quoted = (text: string): string => pg.escapeIdentifier(text)
  return `${quoted(schema)}.${quoted(name)} (${columns.map(quoted).join(', ')})`
}
