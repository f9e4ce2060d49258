E<> deadlock
A[] not "error"
E<> "give"
A[] not deadlock
