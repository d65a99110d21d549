import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { backlogSearch } from '../features/backlog/backlog-search.ts'
import { boardSearch } from '../features/board/board-search.ts'
import { keptFilters } from '../features/board/kept-filters.ts'
import { readBoardAhead } from '../features/board/read-board-ahead.ts'
import { catalogSearch } from '../features/catalog/catalog-search.ts'
import { connectorsSearch } from '../features/connectors/connectors-search.ts'
import { costsSearch } from '../features/costs/costs-search.ts'
import { gateSearch } from '../features/gates/gate-search.ts'
import { inferenceSearch } from '../features/inference/inference-search.ts'
import { notificationsSearch } from '../features/notifications/notifications-search.ts'
import { outcomeSearch, outcomesSearch } from '../features/outcomes/outcomes-search.ts'
import { searchSearch } from '../features/search/search-search.ts'
import { sessionSearch } from '../features/sessions/session-search.ts'
import { signInSearch } from '../features/sign-in/sign-in-search.ts'
import { triggerSearch, triggersSearch } from '../features/triggers/trigger-search.ts'
import { Skeleton } from '../shared/kit/notes.tsx'
import { untilLoaded } from '../shared/kit/part.tsx'
import { ToastProvider } from '../shared/kit/toasts.tsx'
import { cache } from './cache.ts'
import { PageFailed } from './page-states.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute()
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

/**
 * Every page, one line each. A page is a module with a default export, loaded when it is first visited. Its search
 * parameters are read by a function in the feature's `*-search.ts`.
 */
const pages = shell.addChildren([
  createRoute({
    ...page('/', () => import('../features/board/board-page.tsx')),
    validateSearch: boardSearch,
    // Who comes from elsewhere finds the board as they left it, also where it is read before it is opened. On the board itself, an address without a query shows all.
    beforeLoad: ({ cause, search }) => {
      const kept = cause !== 'stay' && Object.keys(search).length === 0 ? keptFilters() : undefined
      if (kept) throw redirect({ to: '/', search: kept, replace: true })
    },
    loaderDeps: ({ search }) => search,
    loader: ({ deps }) => void readBoardAhead(cache, deps),
  }),
  createRoute(page('/inbox', () => import('../features/inbox/inbox-page.tsx'))),
  createRoute(page('/sessions/new', () => import('../features/sessions/new-session-page.tsx'))),
  createRoute({
    ...page('/sessions/$id', () => import('../features/sessions/session-page.tsx')),
    validateSearch: sessionSearch,
  }),
  createRoute({ ...page('/search', () => import('../features/search/search-page.tsx')), validateSearch: searchSearch }),
  createRoute({
    ...page('/triggers', () => import('../features/triggers/triggers-page.tsx')),
    validateSearch: triggersSearch,
  }),
  createRoute(page('/triggers/new', () => import('../features/triggers/new-trigger-page.tsx'))),
  createRoute({
    ...page('/triggers/$id', () => import('../features/triggers/trigger-page.tsx')),
    validateSearch: triggerSearch,
  }),
  createRoute({
    ...page('/notifications', () => import('../features/notifications/notifications-page.tsx')),
    validateSearch: notificationsSearch,
  }),
  createRoute({ ...page('/costs', () => import('../features/costs/costs-page.tsx')), validateSearch: costsSearch }),
  createRoute({
    ...page('/backlog', () => import('../features/backlog/backlog-page.tsx')),
    validateSearch: backlogSearch,
  }),
  createRoute({
    ...page('/outcomes', () => import('../features/outcomes/outcomes-page.tsx')),
    validateSearch: outcomesSearch,
  }),
  createRoute({
    ...page('/outcomes/$id', () => import('../features/outcomes/outcome-page.tsx')),
    validateSearch: outcomeSearch,
  }),
  createRoute({
    ...page('/gate_decisions', () => import('../features/gates/gate-decisions-page.tsx')),
    validateSearch: gateSearch,
  }),
  createRoute(page('/gate_decisions/$id', () => import('../features/gates/gate-decision-page.tsx'))),
  createRoute(page('/health-report', () => import('../features/health/health-page.tsx'))),
  createRoute({
    ...page('/connectors', () => import('../features/connectors/connectors-page.tsx')),
    validateSearch: connectorsSearch,
  }),
  createRoute({
    ...page('/inference', () => import('../features/inference/inference-page.tsx')),
    validateSearch: inferenceSearch,
  }),
  createRoute(page('/clis', () => import('../features/clis/clis-page.tsx'))),
  createRoute(page('/settings', () => import('../features/settings/settings-page.tsx'))),
  createRoute({
    ...page('/catalog', () => import('../features/catalog/catalog-page.tsx')),
    validateSearch: catalogSearch,
  }),
  // Beside the others, so that the rail stays.
  createRoute(page('$', () => import('./not-found.tsx'))),
])

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: routeComponent(() => import('../features/sign-in/sign-in-page.tsx')),
})

export const router = createRouter({
  routeTree: root.addChildren([pages, signIn]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: () => <Skeleton rows={12} />,
  // Inside the router: a toast may have a link.
  InnerWrap: ({ children }) => <ToastProvider>{children}</ToastProvider>,
  defaultErrorComponent: ({ error, reset }) => <PageFailed error={error} onRetry={reset} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** Options and not a route: the types of the addresses are made where `createRoute` sees the path itself. */
function page<const Path extends string>(path: Path, load: () => Promise<{ default: () => ReactNode }>) {
  return { getParentRoute: () => shell, path, component: routeComponent(load) }
}

/** A page whose file cannot be reached is shown when it can. */
function routeComponent(load: () => Promise<{ default: () => ReactNode }>) {
  return lazyRouteComponent(() => untilLoaded(load))
}
