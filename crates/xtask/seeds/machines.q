refinement: F <= S
refinement: S <= F
refinement: F || U <= S || U
refinement: S && F <= F
refinement: F <= (F || U) // U
consistency: S && F
determinism: U
implementation: F
specification: S || U
prune: S && S
get-component: F || U
reachability: S -> S.Busy
