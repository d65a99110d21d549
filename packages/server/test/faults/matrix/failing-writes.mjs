/**
 * Makes writes to these tables fail with a SQLSTATE, as a trigger. `when` is a condition on the row (`old`, `new`). Returns how to
 * end it, and how often it struck.
 */
export async function failWrites({ pool }, { tables, state, on = 'insert or update', when = 'true' }) {
  await pool.query('create sequence if not exists fault_strikes')
  await pool.query('alter sequence fault_strikes restart')
  // A sequence keeps its value when the transaction is rolled back.
  await pool.query(
    `create or replace function fail_writes() returns trigger language plpgsql as
     $$ begin
       if ${when} then
         perform nextval('fault_strikes');
         raise exception 'a fault of the matrix' using errcode = '${state}';
       end if;
       return new;
     end $$`,
  )
  for (const table of tables)
    await pool.query(`create trigger fail_writes before ${on} on ${table} for each row execute function fail_writes()`)
  return {
    /** Returns how many writes failed. */
    end: async () => {
      for (const table of tables) await pool.query(`drop trigger fail_writes on ${table}`)
      const { rows } = await pool.query(
        'select case when is_called then last_value else 0 end::int as n from fault_strikes',
      )
      return rows[0].n
    },
  }
}
