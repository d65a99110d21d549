import { useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { EmptyState } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { SearchFilters } from './search-filters.tsx'
import { SearchResults } from './search-results.tsx'

export default function SearchPage(): ReactNode {
  const search = useSearch({ from: '/shell/search' })
  const navigate = useNavigate()
  const { q, ...filters } = search
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = String(new FormData(event.currentTarget).get('q')).trim()
    void navigate({ to: '/search', search: { ...filters, ...(typed && { q: typed }) } })
  }
  return (
    <Page title="Search" note="Titles, metadata and transcripts, without those of subagents">
      <form onSubmit={submit} className="flex items-end gap-2">
        <div className="max-w-xl grow">
          <TextField
            key={q}
            label="Phrase"
            isLabelHidden
            name="q"
            type="search"
            defaultValue={q}
            autoFocus={!q}
            maxLength={500}
            placeholder="A word or phrase"
          />
        </div>
        <Button type="submit" look="primary" icon="search">
          Search
        </Button>
      </form>
      <SearchFilters search={search} />
      <Panel>
        {q ? (
          <SearchResults key={JSON.stringify(search)} search={{ ...filters, q }} />
        ) : (
          <EmptyState icon="search" title="Find a session by what was said in it">
            Type a word from a message, a file name or an error, and press Enter.
          </EmptyState>
        )}
      </Panel>
    </Page>
  )
}
