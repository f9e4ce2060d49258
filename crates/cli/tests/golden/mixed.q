// some good, some bad
E<> T(0).B

/* the next one has a mistake */
E<> T(0).turn == v && \
    T(1).trun == 2

A[] not deadlok
